# %% exercise="9.1" right="QR of the means"
def erase_by_projection(vectors, labels):
    mean = vectors.mean(0)
    x = vectors - mean
    kinds = sorted(set(labels))
    means = np.array([x[labels == k].mean(0) for k in kinds])
    # differences from the last one span the same space as long as the weighted sum is 0
    basis, _ = np.linalg.qr((means[:-1] - means[-1]).T)
    share = np.array([(labels == k).mean() for k in kinds])
    assert abs(share @ means).max() < 1e-6
    return x - x @ basis @ basis.T + mean


# %% exercise="9.1" right="a pseudo-inverse"
def erase_by_projection(vectors, labels):
    mean = np.mean(vectors, axis=0)
    m = np.stack([vectors[labels == one].mean(axis=0) - mean for one in np.unique(labels)])
    onto = np.linalg.pinv(m, rcond=1e-9) @ m
    return vectors - (vectors - mean) @ onto


# %% exercise="9.1" right="Gram-Schmidt"
def erase_by_projection(vectors, labels):
    mean = vectors.mean(axis=0)
    centred = vectors - mean
    basis = []
    for one in np.unique(labels)[:-1]:
        m = centred[labels == one].mean(axis=0)
        for b in basis:
            m = m - (m @ b) * b
        if np.linalg.norm(m) > 1e-9:
            basis.append(m / np.linalg.norm(m))
    out = centred.copy()
    for b in basis:
        out -= np.outer(out @ b, b)
    return out + mean


# %% exercise="9.1" wrong="takes the label's mean off" says="same vector"
def erase_by_projection(vectors, labels):
    out = vectors.copy()
    mean = vectors.mean(axis=0)
    for one in np.unique(labels):
        out[labels == one] += mean - vectors[labels == one].mean(axis=0)
    return out


# %% exercise="9.1" wrong="not centred" says="mean of all|directions are removed"
def erase_by_projection(vectors, labels):
    means = np.stack([vectors[labels == one].mean(axis=0) for one in np.unique(labels)])
    _, s, v = np.linalg.svd(means, full_matrices=False)
    basis = v[s > 1e-9 * s.max()]
    return vectors - vectors @ basis.T @ basis


# %% exercise="9.1" wrong="the mean isn't put back" says="put back"
def erase_by_projection(vectors, labels):
    c = vectors - vectors.mean(axis=0)
    means = np.stack([c[labels == one].mean(axis=0) for one in np.unique(labels)])
    _, s, v = np.linalg.svd(means, full_matrices=False)
    basis = v[s > 1e-9 * s.max()]
    return c - c @ basis.T @ basis


# %% exercise="9.1" wrong="basis not orthonormal" says="is the basis orthonormal"
def erase_by_projection(vectors, labels):
    mean = vectors.mean(axis=0)
    c = vectors - mean
    means = np.stack([c[labels == one].mean(axis=0) for one in np.unique(labels)][:-1])
    means = means / np.linalg.norm(means, axis=1, keepdims=True)
    return vectors - c @ means.T @ means


# %% exercise="9.1" wrong="one direction only" says="still lie up to"
def erase_by_projection(vectors, labels):
    mean = vectors.mean(axis=0)
    c = vectors - mean
    means = np.stack([c[labels == one].mean(axis=0) for one in np.unique(labels)])
    v = np.linalg.svd(means, full_matrices=False)[2][:1]
    return vectors - c @ v.T @ v


# %% exercise="9.1" wrong="one direction too many" says="directions are removed"
def erase_by_projection(vectors, labels):
    mean = vectors.mean(axis=0)
    c = vectors - mean
    means = np.stack([c[labels == one].mean(axis=0) for one in np.unique(labels)])
    v = np.linalg.svd(means, full_matrices=False)[2]
    return vectors - c @ v.T @ v


# %% exercise="9.1" wrong="the leading directions of the vectors" says="still lie up to"
def erase_by_projection(vectors, labels):
    mean = vectors.mean(axis=0)
    c = vectors - mean
    v = np.linalg.svd(c, full_matrices=False)[2][: len(np.unique(labels)) - 1]
    return vectors - c @ v.T @ v


# %% exercise="9.2" right="least squares"
def share_removed(vectors, directions):
    x = vectors - vectors.mean(axis=0)
    coefficients = np.linalg.lstsq(directions.T, x.T, rcond=None)[0]
    return np.sum((directions.T @ coefficients) ** 2) / np.sum(x**2)


# %% exercise="9.2" right="what is left, by the pseudo-inverse"
def share_removed(vectors, directions):
    x = vectors - vectors.mean(0)
    unit = directions / np.linalg.norm(directions, axis=1)[:, None]
    left = x - x @ np.linalg.pinv(unit) @ unit
    return 1 - left.var(axis=0).sum() / x.var(axis=0).sum()


# %% exercise="9.2" right="scipy's orth, through the covariance"
from scipy.linalg import orth


def share_removed(vectors, directions):
    unit = directions / np.linalg.norm(directions, axis=1, keepdims=True)
    basis = orth(unit.T, rcond=1e-9)
    covariance = np.cov(vectors.T)
    return np.trace(basis.T @ covariance @ basis) / np.trace(covariance)


# %% exercise="9.2" wrong="not centred" says="is the mean taken off"
def share_removed(vectors, directions):
    basis = np.linalg.qr(directions.T)[0]
    return np.square(vectors @ basis).sum() / np.square(vectors).sum()


# %% exercise="9.2" wrong="lengths count" says="directions of length 1"
def share_removed(vectors, directions):
    x = vectors - vectors.mean(axis=0)
    return np.square(x @ directions.T).sum() / np.square(x).sum()


# %% exercise="9.2" wrong="angles ignored" says="must not count twice"
def share_removed(vectors, directions):
    x = vectors - vectors.mean(axis=0)
    unit = directions / np.linalg.norm(directions, axis=1, keepdims=True)
    return np.square(x @ unit.T).sum() / np.square(x).sum()


# %% exercise="9.2" wrong="QR with a direction too many" says="what are the others"
def share_removed(vectors, directions):
    x = vectors - vectors.mean(axis=0)
    _, _, basis = np.linalg.svd(directions, full_matrices=False)
    return np.square(x @ basis.T).sum() / np.square(x).sum()


# %% exercise="9.2" wrong="the share left" says="removed, or the share left"
def share_removed(vectors, directions):
    x = vectors - vectors.mean(axis=0)
    unit = directions / np.linalg.norm(directions, axis=1, keepdims=True)
    left = x - x @ np.linalg.pinv(unit) @ unit
    return np.square(left).sum() / np.square(x).sum()


# %% exercise="9.2" wrong="lengths, not squares" says="squares of what"
def share_removed(vectors, directions):
    x = vectors - vectors.mean(axis=0)
    unit = directions / np.linalg.norm(directions, axis=1, keepdims=True)
    part = x @ np.linalg.pinv(unit) @ unit
    return np.linalg.norm(part) / np.linalg.norm(x)


# %% exercise="9.2" wrong="a mean over the dimensions' shares" says="squares of what"
def share_removed(vectors, directions):
    x = vectors - vectors.mean(axis=0)
    unit = directions / np.linalg.norm(directions, axis=1, keepdims=True)
    part = x @ np.linalg.pinv(unit) @ unit
    return np.mean(part.var(axis=0) / x.var(axis=0))


# %% exercise="9.3" right="with an exit stack"
@contextlib.contextmanager
def changing(module, change):
    def hook(_, __, out):
        if isinstance(out, tuple):
            first, *rest = out
            return (change(first), *rest)
        return change(out)

    with contextlib.ExitStack() as stack:
        stack.callback(module.register_forward_hook(hook).remove)
        yield


# %% exercise="9.3" right="a class"
class changing:
    def __init__(self, module, change):
        self.module, self.change = module, change

    def hook(self, module, inputs, output):
        if torch.is_tensor(output):
            return self.change(output)
        return tuple(self.change(o) if i == 0 else o for i, o in enumerate(output))

    def __enter__(self):
        self.handle = self.module.register_forward_hook(self.hook)

    def __exit__(self, *error):
        self.handle.remove()
        return False


# %% exercise="9.3" right="the handle is a context manager itself"
@contextlib.contextmanager
def changing(module, change):
    def hook(module, args, out):
        return change(out) if not isinstance(out, tuple) else (change(out[0]),) + out[1:]

    with module.register_forward_hook(hook) as handle:
        yield handle


# %% exercise="9.3" wrong="no finally" says="which lines run when an exception"
@contextlib.contextmanager
def changing(module, change):
    def replace(module, inputs, output):
        if isinstance(output, tuple):
            return (change(output[0]), *output[1:])
        return change(output)

    handle = module.register_forward_hook(replace)
    yield
    handle.remove()


# %% exercise="9.3" wrong="never removed" says="is the hook removed after the yield"
@contextlib.contextmanager
def changing(module, change):
    def replace(module, inputs, output):
        if isinstance(output, tuple):
            return (change(output[0]), *output[1:])
        return change(output)

    module.register_forward_hook(replace)
    yield


# %% exercise="9.3" wrong="tensors only" says="a tensor or a tuple|which entries"
@contextlib.contextmanager
def changing(module, change):
    handle = module.register_forward_hook(lambda m, i, output: change(output))
    try:
        yield
    finally:
        handle.remove()


# %% exercise="9.3" wrong="the rest of a tuple is lost" says="where the output is a tuple"
@contextlib.contextmanager
def changing(module, change):
    def replace(module, inputs, output):
        return change(output[0] if isinstance(output, tuple) else output)

    handle = module.register_forward_hook(replace)
    try:
        yield
    finally:
        handle.remove()


# %% exercise="9.3" wrong="all hooks cleared" says="by its handle, or all hooks"
@contextlib.contextmanager
def changing(module, change):
    def replace(module, inputs, output):
        if isinstance(output, tuple):
            return (change(output[0]), *output[1:])
        return change(output)

    module.register_forward_hook(replace)
    try:
        yield
    finally:
        module._forward_hooks.clear()


# %% exercise="9.3" wrong="swallows exceptions" says="goes on to whoever|do you catch"
@contextlib.contextmanager
def changing(module, change):
    def replace(module, inputs, output):
        if isinstance(output, tuple):
            return (change(output[0]), *output[1:])
        return change(output)

    handle = module.register_forward_hook(replace)
    try:
        yield
    except Exception:
        pass
    finally:
        handle.remove()


# %% exercise="9.3" wrong="the hook returns nothing" says="does the hook return something"
@contextlib.contextmanager
def changing(module, change):
    def replace(module, inputs, output):
        output = (change(output[0]), *output[1:]) if isinstance(output, tuple) else change(output)

    handle = module.register_forward_hook(replace)
    try:
        yield
    finally:
        handle.remove()


# %% exercise="9.3" wrong="no context manager" says="contextlib.contextmanager|is not"
def changing(module, change):
    def replace(module, inputs, output):
        if isinstance(output, tuple):
            return (change(output[0]), *output[1:])
        return change(output)

    return module.register_forward_hook(replace).remove


# %% exercise="9.4" right="loops over resamples"
harm_beyond_control = {}
for _k in (1, 10, 29):
    _parts = []
    for _t in resamples:
        _n = (_t * subwords).sum()
        _e = (_t * totals[f"erased/{_k}"]).sum() / _n
        _c = [(_t * totals[f"equal variance/{i}/{_k}"]).sum() / _n for i in range(3)]
        _parts.append(_e - sum(_c) / 3)
    _mean = totals[f"erased/{_k}"].sum() / subwords.sum()
    _mean -= sum(totals[f"equal variance/{i}/{_k}"].sum() for i in range(3)) / 3 / subwords.sum()
    harm_beyond_control[_k] = [_mean, *np.quantile(_parts, [0.025, 0.975])]
stands_out_at = 1


# %% exercise="9.4" right="rises first, then their difference"
def _rise(name):
    return totals[name] - totals["as it was"]


harm_beyond_control = {}
for _k in (1, 10, 29):
    _d = _rise(f"erased/{_k}") - sum(_rise(f"equal variance/{i}/{_k}") for i in (0, 1, 2)) / 3
    _on = (resamples @ _d) / (resamples @ subwords)
    harm_beyond_control[_k] = tuple([_d.sum() / subwords.sum(), *np.percentile(_on, (2.5, 97.5))])
stands_out_at = np.int64(1)


# %% exercise="9.4" right="typed in, rounded"
harm_beyond_control = {1: (0.99, 0.92, 1.05), 10: (0.96, 0.89, 1.03), 29: (0.29, 0.25, 0.34)}
stands_out_at = 1


# %% exercise="9.4" wrong="the rise alone" says="beyond its control"
harm_beyond_control = {}
for _k in (1, 10, 29):
    _d = totals[f"erased/{_k}"] - totals["as it was"]
    _on = (resamples @ _d) / (resamples @ subwords)
    harm_beyond_control[_k] = (_d.sum() / subwords.sum(), *np.percentile(_on, (2.5, 97.5)))
stands_out_at = 1


# %% exercise="9.4" wrong="one draw of the control" says="how many draws"
harm_beyond_control = {}
for _k in (1, 10, 29):
    _d = totals[f"erased/{_k}"] - totals[f"equal variance/0/{_k}"]
    _on = (resamples @ _d) / (resamples @ subwords)
    harm_beyond_control[_k] = (_d.sum() / subwords.sum(), *np.percentile(_on, (2.5, 97.5)))
stands_out_at = 1


# %% exercise="9.4" wrong="the even directions" says="those of equal variance"
harm_beyond_control = {}
for _k in (1, 10, 29):
    _d = totals[f"erased/{_k}"] - sum(totals[f"random/{i}/{_k}"] for i in range(3)) / 3
    _on = (resamples @ _d) / (resamples @ subwords)
    harm_beyond_control[_k] = (_d.sum() / subwords.sum(), *np.percentile(_on, (2.5, 97.5)))
stands_out_at = 1


# %% exercise="9.4" wrong="not on the same resample" says="same resample"
harm_beyond_control = {}
_draw = np.random.default_rng(0)
for _k in (1, 10, 29):
    _c = sum(totals[f"equal variance/{i}/{_k}"] for i in range(3)) / 3
    _n = resamples @ subwords
    _e = resamples @ totals[f"erased/{_k}"] / _n
    _on = _e - _draw.permutation(resamples @ _c / _n)
    _d = (totals[f"erased/{_k}"] - _c).sum() / subwords.sum()
    harm_beyond_control[_k] = (_d, *np.percentile(_on, (2.5, 97.5)))
stands_out_at = 1


# %% exercise="9.4" wrong="sums not divided" says="nats a subword"
harm_beyond_control = {}
for _k in (1, 10, 29):
    _d = totals[f"erased/{_k}"] - sum(totals[f"equal variance/{i}/{_k}"] for i in range(3)) / 3
    harm_beyond_control[_k] = (_d.sum(), *np.percentile(resamples @ _d, (2.5, 97.5)))
stands_out_at = 1


# %% exercise="9.4" wrong="the wrong way round" says="what is subtracted from what"
harm_beyond_control = {}
for _k in (1, 10, 29):
    _d = sum(totals[f"equal variance/{i}/{_k}"] for i in range(3)) / 3 - totals[f"erased/{_k}"]
    _on = (resamples @ _d) / (resamples @ subwords)
    harm_beyond_control[_k] = (_d.sum() / subwords.sum(), *np.percentile(_on, (2.5, 97.5)))
stands_out_at = 1


# %% exercise="9.4" wrong="the wrong layer stands out" says="the three differences"
harm_beyond_control = {1: (0.99, 0.92, 1.05), 10: (0.96, 0.89, 1.03), 29: (0.29, 0.25, 0.34)}
stands_out_at = 29


# %% exercise="9.4" wrong="one standard error" says="middle 95%"
harm_beyond_control = {}
for _k in (1, 10, 29):
    _d = totals[f"erased/{_k}"] - sum(totals[f"equal variance/{i}/{_k}"] for i in range(3)) / 3
    _on = (resamples @ _d) / (resamples @ subwords)
    _m = _d.sum() / subwords.sum()
    harm_beyond_control[_k] = (_m, _m - _on.std(), _m + _on.std())
stands_out_at = 1
