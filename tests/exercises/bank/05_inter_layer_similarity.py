# %% exercise="5.1" right="loops over pairs"
def corrected_cosine(x, y):
    n = len(x)
    if len(y) != n or x.shape[1] != y.shape[1] or n < 2:
        raise ValueError("tables don't fit")
    own, other = [], []
    for i in range(n):
        for j in range(n):
            cosine = x[i] @ y[j] / np.linalg.norm(x[i]) / np.linalg.norm(y[j])
            (own if i == j else other).append(cosine)
    return np.mean(own) - np.mean(other)


# %% exercise="5.1" right="torch and a mask"
import torch


def corrected_cosine(x, y):
    x, y = torch.as_tensor(x), torch.as_tensor(y)
    if x.shape != y.shape or x.shape[0] < 2:
        raise ValueError
    table = torch.nn.functional.cosine_similarity(x[:, None], y[None], dim=-1)
    same = torch.eye(len(x), dtype=torch.bool)
    return table[same].mean() - table[~same].mean()


# %% exercise="5.1" right="einsum, from sums of unit vectors"
def corrected_cosine(x, y):
    if x.shape != y.shape or len(x) < 2:
        raise ValueError("no")
    n = len(x)
    x = x / np.sqrt(np.einsum("wh,wh->w", x, x))[:, None]
    y = y / np.sqrt(np.einsum("wh,wh->w", y, y))[:, None]
    own = np.einsum("wh,wh->", x, y)
    everything = x.sum(0) @ y.sum(0)
    return own / n - (everything - own) / (n * n - n)


# %% exercise="5.1" right="all rotations, with scikit-learn"
from sklearn.metrics.pairwise import cosine_similarity


def corrected_cosine(x, y):
    if np.shape(x) != np.shape(y) or len(x) <= 1:
        raise ValueError(f"{np.shape(x)}, {np.shape(y)}")
    n = len(x)
    others = []
    for step in range(1, n):
        others.append(np.diag(cosine_similarity(x, np.roll(y, step, axis=0))).mean())
    return np.diag(cosine_similarity(x, y)).mean() - sum(others) / len(others)


# %% exercise="5.1" wrong="no correction" says="return 1[.]0.*no more than it does any other"
def corrected_cosine(x, y):
    if x.shape != y.shape or len(x) < 2:
        raise ValueError
    return np.mean((x * y).sum(1) / np.linalg.norm(x, axis=1) / np.linalg.norm(y, axis=1))


# %% exercise="5.1" wrong="a word counts among its others" says="count among the 'other' words"
def corrected_cosine(x, y):
    if x.shape != y.shape or len(x) < 2:
        raise ValueError
    x = x / np.linalg.norm(x, axis=1, keepdims=True)
    y = y / np.linalg.norm(y, axis=1, keepdims=True)
    table = x @ y.T
    return np.diag(table).mean() - table.mean()


# %% exercise="5.1" wrong="the diagonal set to 0, the sum divided by n times n" says="divided by n[(]n - 1[)]"
def corrected_cosine(x, y):
    if x.shape != y.shape or len(x) < 2:
        raise ValueError
    x = x / np.linalg.norm(x, axis=1, keepdims=True)
    y = y / np.linalg.norm(y, axis=1, keepdims=True)
    table = x @ y.T
    own = np.diag(table).mean()
    np.fill_diagonal(table, 0)
    return own - table.mean()


# %% exercise="5.1" wrong="writes into its inputs" says="not what they were"
def corrected_cosine(x, y):
    if x.shape != y.shape or len(x) < 2:
        raise ValueError
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    y /= np.linalg.norm(y, axis=1, keepdims=True)
    table = x @ y.T
    return np.diag(table).mean() - table[~np.eye(len(x), dtype=bool)].mean()


# %% exercise="5.1" wrong="chance within the one layer" says="other[*] one"
def corrected_cosine(x, y):
    if x.shape != y.shape or len(x) < 2:
        raise ValueError
    x = x / np.linalg.norm(x, axis=1, keepdims=True)
    y = y / np.linalg.norm(y, axis=1, keepdims=True)
    n = len(x)
    chance = x @ x.T
    return (x * y).sum(1).mean() - (chance.sum() - np.trace(chance)) / (n * (n - 1))


# %% exercise="5.1" wrong="dot products" says="division by the lengths"
def corrected_cosine(x, y):
    if x.shape != y.shape or len(x) < 2:
        raise ValueError
    n = len(x)
    table = x @ y.T
    other = ~np.eye(n, dtype=bool)
    return np.diag(table).mean() - table[other].mean()


# %% exercise="5.1" wrong="lengths along the wrong axis" says="one length per word"
def corrected_cosine(x, y):
    if x.shape != y.shape or len(x) < 2:
        raise ValueError
    x = x / np.linalg.norm(x, axis=0)
    y = y / np.linalg.norm(y, axis=0)
    table = x @ y.T
    return np.diag(table).mean() - table[~np.eye(len(x), dtype=bool)].mean()


# %% exercise="5.1" wrong="one neighbour is not all pairs" says="one neighbour"
def corrected_cosine(x, y):
    if x.shape != y.shape or len(x) < 2:
        raise ValueError
    x = x / np.linalg.norm(x, axis=1, keepdims=True)
    y = y / np.linalg.norm(y, axis=1, keepdims=True)
    return (x * y).sum(1).mean() - (x * np.roll(y, 1, axis=0)).sum(1).mean()


# %% exercise="5.1" wrong="a change, not a similarity" says="a change"
def corrected_cosine(x, y):
    if x.shape != y.shape or len(x) < 2:
        raise ValueError
    x = x / np.linalg.norm(x, axis=1, keepdims=True)
    y = y / np.linalg.norm(y, axis=1, keepdims=True)
    table = x @ y.T
    return 1 - np.diag(table).mean() + table[~np.eye(len(x), dtype=bool)].mean()


# %% exercise="5.1" wrong="one value per word" says="shape [(]4,[)]"
def corrected_cosine(x, y):
    if x.shape != y.shape or len(x) < 2:
        raise ValueError
    x = x / np.linalg.norm(x, axis=1, keepdims=True)
    y = y / np.linalg.norm(y, axis=1, keepdims=True)
    table = x @ y.T
    return np.diag(table) - table[~np.eye(len(x), dtype=bool)].mean()


# %% exercise="5.1" wrong="refuses nothing" says="a single word|5 at the other"
def corrected_cosine(x, y):
    n = min(len(x), len(y))
    x, y = x[:n], y[:n]
    x = x / np.linalg.norm(x, axis=1, keepdims=True)
    y = y / np.linalg.norm(y, axis=1, keepdims=True)
    table = x @ y.T
    return np.diag(table).mean() - table[~np.eye(n, dtype=bool)].mean()


# %% exercise="5.2" right="as the formula is written"
def debiased_cka(x, y):
    n = len(x)
    if n != len(y) or n < 4:
        raise ValueError("words")
    ones = np.ones((n, 1))
    K = x @ x.T
    L = y @ y.T
    np.fill_diagonal(K, 0)
    np.fill_diagonal(L, 0)

    def H(K, L):
        first = np.trace(K @ L)
        second = (ones.T @ K @ ones) * (ones.T @ L @ ones) / (n - 1) / (n - 2)
        third = 2 / (n - 2) * (ones.T @ K @ L @ ones)
        return ((first + second - third) / n / (n - 3)).item()

    return H(K, L) / np.sqrt(H(K, K) * H(L, L))


# %% exercise="5.2" right="torch, with U-centred tables"
import torch


def debiased_cka(x, y):
    if len(x) != len(y) or len(x) < 4:
        raise ValueError("words")
    n = len(x)

    def u_centred(z):
        z = torch.as_tensor(z, dtype=torch.float64)
        k = z @ z.T
        k.fill_diagonal_(0)
        rows = k.sum(1, keepdim=True) / (n - 2)
        k = k - rows - rows.T + k.sum() / ((n - 1) * (n - 2))
        k.fill_diagonal_(0)
        return k

    k, m = u_centred(x), u_centred(y)
    return (k * m).sum() / (k.norm() * m.norm())


# %% exercise="5.2" right="without any table of words by words"
def debiased_cka(x, y):
    if len(x) != len(y) or len(x) < 4:
        raise ValueError("words")
    n = len(x)
    x, y = x - x.mean(0), y - y.mean(0)

    def h(a, b):
        da, db = (a**2).sum(1), (b**2).sum(1)
        ra, rb = -da, -db  # centred: the sum of a whole row is 0
        trace = ((a.T @ b) ** 2).sum() - da @ db
        return trace + ra.sum() * rb.sum() / ((n - 1) * (n - 2)) - 2 * (ra @ rb) / (n - 2)

    return h(x, y) / (h(x, x) * h(y, y)) ** 0.5


# %% exercise="5.2" right="loops"
def debiased_cka(x, y):
    n = len(x)
    if n != len(y) or n < 4:
        raise ValueError("words")

    def table(z):
        return np.array([[0.0 if i == j else z[i] @ z[j] for j in range(n)] for i in range(n)])

    def h(k, m):
        trace = sum(k[i] @ m[:, i] for i in range(n))
        k_rows, m_rows = [sum(row) for row in k], [sum(row) for row in m]
        mixed = sum(p * q for p, q in zip(k_rows, m_rows))
        return trace + sum(k_rows) * sum(m_rows) / (n - 1) / (n - 2) - 2 * mixed / (n - 2)

    k, m = table(x), table(y)
    return h(k, m) / np.sqrt(h(k, k)) / np.sqrt(h(m, m))


# %% exercise="5.2" wrong="the plain form" says="as the plain form does"
def debiased_cka(x, y):
    if len(x) != len(y) or len(x) < 4:
        raise ValueError
    x, y = x - x.mean(0), y - y.mean(0)
    return np.square(y.T @ x).sum() / np.linalg.norm(x.T @ x) / np.linalg.norm(y.T @ y)


# %% exercise="5.2" wrong="the diagonal is kept" says="as the plain form does.*diagonal"
def debiased_cka(x, y):
    n = len(x)
    if len(y) != n or n < 4:
        raise ValueError
    x, y = x - x.mean(0), y - y.mean(0)
    K, L = x @ x.T, y @ y.T

    def H(K, L):
        return (
            np.trace(K @ L)
            + K.sum() * L.sum() / (n - 1) / (n - 2)
            - 2 / (n - 2) * (K.sum(0) @ L.sum(0))
        )

    return H(K, L) / np.sqrt(H(K, K) * H(L, L))


# %% exercise="5.2" wrong="no root" says="with itself comes out.*under a root"
def debiased_cka(x, y):
    n = len(x)
    if len(y) != n or n < 4:
        raise ValueError
    K, L = x @ x.T, y @ y.T
    np.fill_diagonal(K, 0)
    np.fill_diagonal(L, 0)

    def H(K, L):
        return (
            np.trace(K @ L)
            + K.sum() * L.sum() / (n - 1) / (n - 2)
            - 2 / (n - 2) * (K.sum(0) @ L.sum(0))
        )

    return H(K, L) / (H(K, K) * H(L, L))


# %% exercise="5.2" wrong="the 2 of the last term forgotten" says="-1/2"
def debiased_cka(x, y):
    n = len(x)
    if len(y) != n or n < 4:
        raise ValueError
    x, y = x - x.mean(0), y - y.mean(0)
    K, L = x @ x.T, y @ y.T
    np.fill_diagonal(K, 0)
    np.fill_diagonal(L, 0)

    def H(K, L):
        return (
            np.trace(K @ L)
            + K.sum() * L.sum() / (n - 1) / (n - 2)
            - 1 / (n - 2) * (K.sum(0) @ L.sum(0))
        )

    return H(K, L) / np.sqrt(H(K, K) * H(L, L))


# %% exercise="5.2" wrong="the trace alone" says="as the trace alone does"
def debiased_cka(x, y):
    n = len(x)
    if len(y) != n or n < 4:
        raise ValueError
    K, L = x @ x.T, y @ y.T
    np.fill_diagonal(K, 0)
    np.fill_diagonal(L, 0)
    return (K * L).sum() / np.sqrt((K * K).sum() * (L * L).sum())


# %% exercise="5.2" wrong="debiased above, plain below" says="with itself comes out.*the same H of each side"
def debiased_cka(x, y):
    n = len(x)
    if len(y) != n or n < 4:
        raise ValueError
    x, y = x - x.mean(0), y - y.mean(0)
    K, L = x @ x.T, y @ y.T
    below = np.linalg.norm(K) * np.linalg.norm(L) / (n - 1) ** 2
    np.fill_diagonal(K, 0)
    np.fill_diagonal(L, 0)
    above = (
        np.trace(K @ L)
        + K.sum() * L.sum() / (n - 1) / (n - 2)
        - 2 / (n - 2) * (K.sum(0) @ L.sum(0))
    ) / (n * (n - 3))
    return above / below


# %% exercise="5.2" wrong="the denominators mixed up" says="-1/2"
def debiased_cka(x, y):
    n = len(x)
    if len(y) != n or n < 4:
        raise ValueError
    x, y = x - x.mean(0), y - y.mean(0)
    K, L = x @ x.T, y @ y.T
    np.fill_diagonal(K, 0)
    np.fill_diagonal(L, 0)

    def H(K, L):
        return (
            np.trace(K @ L) + K.sum() * L.sum() / n / (n - 1) - 2 / (n - 2) * (K.sum(0) @ L.sum(0))
        )

    return H(K, L) / np.sqrt(H(K, K) * H(L, L))


# %% exercise="5.2" wrong="tables of dimensions instead of words" says="the shape of K"
def debiased_cka(x, y):
    n = len(x)
    if len(y) != n or n < 4:
        raise ValueError
    K, L = x.T @ x, y.T @ y
    np.fill_diagonal(K, 0)
    np.fill_diagonal(L, 0)

    def H(K, L):
        return (
            np.trace(K @ L)
            + K.sum() * L.sum() / (n - 1) / (n - 2)
            - 2 / (n - 2) * (K.sum(0) @ L.sum(0))
        )

    return H(K, L) / np.sqrt(H(K, K) * H(L, L))


# %% exercise="5.2" wrong="three words go through" says="three words"
def debiased_cka(x, y):
    n = len(x)
    if len(y) != n:
        raise ValueError
    K, L = x @ x.T, y @ y.T
    np.fill_diagonal(K, 0)
    np.fill_diagonal(L, 0)

    def H(K, L):
        return (
            np.trace(K @ L)
            + K.sum() * L.sum() / (n - 1) / (n - 2)
            - 2 / (n - 2) * (K.sum(0) @ L.sum(0))
        )

    return H(K, L) / np.sqrt(H(K, K) * H(L, L))


# %% exercise="5.2" wrong="the trace of an elementwise product" says="came out negative"
def debiased_cka(x, y):
    n = len(x)
    if len(y) != n or n < 4:
        raise ValueError
    K, L = x @ x.T, y @ y.T
    np.fill_diagonal(K, 0)
    np.fill_diagonal(L, 0)

    def H(K, L):
        s, mixed = K.sum() * L.sum(), K.sum(0) @ L.sum(0)
        return np.trace(K * L) + s / (n - 1) / (n - 2) - 2 / (n - 2) * mixed

    return H(K, L) / np.sqrt(H(K, K) * H(L, L))


# %% exercise="5.2" wrong="brackets left out of the last factor" says="came out negative|which one differs"
def debiased_cka(x, y):
    n = len(x)
    if len(y) != n or n < 4:
        raise ValueError
    K, L = x @ x.T, y @ y.T
    np.fill_diagonal(K, 0)
    np.fill_diagonal(L, 0)

    def H(K, L):
        s, mixed = K.sum() * L.sum(), K.sum(0) @ L.sum(0)
        return np.trace(K @ L) + s / (n - 1) / (n - 2) - 2 / n - 2 * mixed

    return H(K, L) / np.sqrt(H(K, K) * H(L, L))


# %% exercise="5.2" wrong="a product where a division belongs" says="which one differs"
def debiased_cka(x, y):
    n = len(x)
    if len(y) != n or n < 4:
        raise ValueError
    K, L = x @ x.T, y @ y.T
    np.fill_diagonal(K, 0)
    np.fill_diagonal(L, 0)

    def H(K, L):
        s, mixed = K.sum() * L.sum(), K.sum(0) @ L.sum(0)
        return np.trace(K @ L) + s / (n - 1) * (n - 2) - 2 / (n - 2) * mixed

    return H(K, L) / np.sqrt(H(K, K) * H(L, L))


# %% exercise="5.2" wrong="the diagonal is kept, without centring" says="came out negative"
def debiased_cka(x, y):
    n = len(x)
    if len(y) != n or n < 4:
        raise ValueError
    K, L = x @ x.T, y @ y.T

    def H(K, L):
        s, mixed = K.sum() * L.sum(), K.sum(0) @ L.sum(0)
        return np.trace(K @ L) + s / (n - 1) / (n - 2) - 2 / (n - 2) * mixed

    return H(K, L) / np.sqrt(H(K, K) * H(L, L))


# %% exercise="5.2" wrong="centres in place" says="not what they were"
def debiased_cka(x, y):
    n = len(x)
    if len(y) != n or n < 4:
        raise ValueError
    x -= x.mean(0)
    y -= y.mean(0)
    K, L = x @ x.T, y @ y.T
    np.fill_diagonal(K, 0)
    np.fill_diagonal(L, 0)

    def H(K, L):
        s, mixed = K.sum() * L.sum(), K.sum(0) @ L.sum(0)
        return (K * L).sum() + s / (n - 1) / (n - 2) - 2 / (n - 2) * mixed

    return H(K, L) / np.sqrt(H(K, K) * H(L, L))


# %% exercise="5.3" right="the two lines mended"
def centre(table):
    return table - table.mean(axis=0)


def cka_with_floor(x, y, seed=0):
    def cka(left, right):
        left, right = centre(left), centre(right)
        shared = np.square(right.T @ left).sum()
        return shared / (np.linalg.norm(left.T @ left) * np.linalg.norm(right.T @ right))

    draw = np.random.default_rng(seed)
    floors = []
    for _ in range(10):
        order = draw.permutation(len(x))
        floors.append(cka(x[order], y))
    return cka(x, y), np.mean(floors)


# %% exercise="5.3" right="the package's functions"
from whichlayer.similarity import cka_floor, linear_cka


def cka_with_floor(x, y, seed=0):
    return linear_cka(x, y, debiased=False), cka_floor(x, y, debiased=False, seed=seed)


# %% exercise="5.3" right="centred words-by-words tables, in torch"
import torch


def cka_with_floor(x, y, seed=0):
    x, y = torch.as_tensor(x), torch.as_tensor(y)
    n = len(x)
    middle = torch.eye(n, dtype=x.dtype) - 1 / n
    k, m = middle @ x @ x.T @ middle, middle @ y @ y.T @ middle
    norm = k.norm() * m.norm()
    source = torch.Generator().manual_seed(seed)
    floors = []
    for _ in range(10):
        order = torch.randperm(n, generator=source)
        floors.append((k * m[order][:, order]).sum() / norm)
    return (k * m).sum() / norm, torch.stack(floors).mean()


# %% exercise="5.3" wrong="only the centring mended" says="value and floor are both"
def cka_with_floor(x, y, seed=0):
    def cka(left, right):
        left, right = left - left.mean(0), right - right.mean(0)
        return np.square(right.T @ left).sum() / (
            np.linalg.norm(left.T @ left) * np.linalg.norm(right.T @ right)
        )

    draw = np.random.default_rng(seed)
    floors = []
    for _ in range(10):
        order = draw.permutation(len(x))
        floors.append(cka(x[order], y[order]))
    return cka(x, y), np.mean(floors)


# %% exercise="5.3" wrong="only the floor mended" says="moving all words together"
def cka_with_floor(x, y, seed=0):
    def cka(left, right):
        left = left - left.mean(1, keepdims=True)
        right = right - right.mean(1, keepdims=True)
        return np.square(right.T @ left).sum() / (
            np.linalg.norm(left.T @ left) * np.linalg.norm(right.T @ right)
        )

    draw = np.random.default_rng(seed)
    floors = [cka(x, y[draw.permutation(len(x))]) for _ in range(10)]
    return cka(x, y), np.mean(floors)


# %% exercise="5.3" wrong="one mean for the whole table" says="moving all words together"
def cka_with_floor(x, y, seed=0):
    def cka(left, right):
        left, right = left - left.mean(), right - right.mean()
        return np.square(right.T @ left).sum() / (
            np.linalg.norm(left.T @ left) * np.linalg.norm(right.T @ right)
        )

    draw = np.random.default_rng(seed)
    floors = [cka(x, y[draw.permutation(len(x))]) for _ in range(10)]
    return cka(x, y), np.mean(floors)


# %% exercise="5.3" wrong="dimensions are shuffled, not words" says="is it words that are shuffled"
def cka_with_floor(x, y, seed=0):
    def cka(left, right):
        left, right = left - left.mean(0), right - right.mean(0)
        return np.square(right.T @ left).sum() / (
            np.linalg.norm(left.T @ left) * np.linalg.norm(right.T @ right)
        )

    draw = np.random.default_rng(seed)
    floors = [cka(x, y[:, draw.permutation(y.shape[1])]) for _ in range(10)]
    return cka(x, y), np.mean(floors)


# %% exercise="5.3" wrong="each dimension gets an order of its own" says="rows as a whole"
def cka_with_floor(x, y, seed=0):
    def cka(left, right):
        left, right = left - left.mean(0), right - right.mean(0)
        return np.square(right.T @ left).sum() / (
            np.linalg.norm(left.T @ left) * np.linalg.norm(right.T @ right)
        )

    draw = np.random.default_rng(seed)
    floors = [cka(x, draw.permuted(y, axis=0)) for _ in range(10)]
    return cka(x, y), np.mean(floors)


# %% exercise="5.3" wrong="shuffles in place" says="not what they were"
def cka_with_floor(x, y, seed=0):
    def cka(left, right):
        left, right = left - left.mean(0), right - right.mean(0)
        return np.square(right.T @ left).sum() / (
            np.linalg.norm(left.T @ left) * np.linalg.norm(right.T @ right)
        )

    draw = np.random.default_rng(seed)
    value, floors = 0, []
    for _ in range(10):
        draw.shuffle(y)
        floors.append(cka(x, y))
    return cka(x, y), np.mean(floors)


# %% exercise="5.3" wrong="standardises instead of centring" says="stretching"
def cka_with_floor(x, y, seed=0):
    def cka(left, right):
        left = (left - left.mean(0)) / left.std(0)
        right = (right - right.mean(0)) / right.std(0)
        return np.square(right.T @ left).sum() / (
            np.linalg.norm(left.T @ left) * np.linalg.norm(right.T @ right)
        )

    draw = np.random.default_rng(seed)
    floors = [cka(x, y[draw.permutation(len(x))]) for _ in range(10)]
    return cka(x, y), np.mean(floors)


# %% exercise="5.3" wrong="one shuffle in the place of ten" says="how many shuffles"
def cka_with_floor(x, y, seed=0):
    def cka(left, right):
        left, right = left - left.mean(0), right - right.mean(0)
        return np.square(right.T @ left).sum() / (
            np.linalg.norm(left.T @ left) * np.linalg.norm(right.T @ right)
        )

    order = np.random.default_rng(seed).permutation(len(x))
    return cka(x, y), cka(x, y[order])


# %% exercise="5.3" wrong="ten times the same shuffle" says="is each a new one"
def cka_with_floor(x, y, seed=0):
    def cka(left, right):
        left, right = left - left.mean(0), right - right.mean(0)
        return np.square(right.T @ left).sum() / (
            np.linalg.norm(left.T @ left) * np.linalg.norm(right.T @ right)
        )

    floors = []
    for _ in range(10):
        order = np.random.default_rng(seed).permutation(len(x))
        floors.append(cka(x, y[order]))
    return cka(x, y), np.mean(floors)


# %% exercise="5.3" wrong="centred both ways" says="take off more than|rows as a whole"
def cka_with_floor(x, y, seed=0):
    def centre(table):
        table = table - table.mean(1, keepdims=True)
        return table - table.mean(0)

    def cka(left, right):
        left, right = centre(left), centre(right)
        return np.square(right.T @ left).sum() / (
            np.linalg.norm(left.T @ left) * np.linalg.norm(right.T @ right)
        )

    draw = np.random.default_rng(seed)
    floors = [cka(x, y[draw.permutation(len(x))]) for _ in range(10)]
    return cka(x, y), np.mean(floors)


# %% exercise="5.4" right="loops"
def beside_twins(values, runs):
    if len(runs) < 2 or any(len(run) != len(values) for run in runs):
        raise ValueError("two twins of as many values")
    out = []
    for i, value in enumerate(values):
        at = [run[i] for run in runs]
        out.append("above" if value > max(at) else "below" if value < min(at) else "within")
    return out


beside = {(m, k): beside_twins(ours[m], [run[m] for run in twins[k]]) for m in ours for k in twins}
conclusion = "B"


# %% exercise="5.4" right="numpy, as an array"
def beside_twins(values, runs):
    values, runs = np.array(values), np.array(runs)
    if runs.ndim < 2 or runs.shape[0] < 2 or runs.shape[1] != len(values):
        raise ValueError
    where = np.full(len(values), "within")
    where[(values > runs).all(axis=0)] = "above"
    where[(values < runs).all(axis=0)] = "below"
    return where


beside = {(m, k): beside_twins(ours[m], [run[m] for run in twins[k]]) for m in ours for k in twins}
conclusion = "B"


# %% exercise="5.4" right="signs, letters in lower case"
def beside_twins(values, runs):
    runs = np.vstack([np.atleast_1d(r) for r in runs])
    if len(runs) < 2 or runs.shape[1] != np.size(values):
        raise ValueError("shapes")
    sign = np.sign(np.asarray(values) - runs).sum(axis=0)
    names = {len(runs): "above", -len(runs): "below"}
    return [names.get(int(s), "within") for s in sign]


beside = {(m, k): beside_twins(ours[m], [run[m] for run in twins[k]]) for m in ours for k in twins}
conclusion = " b "


# %% exercise="5.4" wrong="beside the mean twin" says="or with their mean"
def beside_twins(values, runs):
    values, runs = np.asarray(values), np.asarray(runs)
    if runs.ndim != 2 or len(runs) < 2 or runs.shape[1] != len(values):
        raise ValueError
    return np.where(values > runs.mean(axis=0), "above", "below").tolist()


beside = {(m, k): beside_twins(ours[m], [run[m] for run in twins[k]]) for m in ours for k in twins}
conclusion = "B"


# %% exercise="5.4" wrong="beside the first twin" says="or with one of them"
def beside_twins(values, runs):
    values, runs = np.asarray(values), np.asarray(runs)
    if runs.ndim != 2 or len(runs) < 2 or runs.shape[1] != len(values):
        raise ValueError
    return np.select([values > runs[0], values < runs[0]], ["above", "below"], "within").tolist()


beside = {(m, k): beside_twins(ours[m], [run[m] for run in twins[k]]) for m in ours for k in twins}
conclusion = "B"


# %% exercise="5.4" wrong="above any twin" says="compare with every twin"
def beside_twins(values, runs):
    values, runs = np.asarray(values), np.asarray(runs)
    if runs.ndim != 2 or len(runs) < 2 or runs.shape[1] != len(values):
        raise ValueError
    return np.select(
        [values > runs.min(axis=0), values < runs.min(axis=0)], ["above", "below"], "within"
    ).tolist()


beside = {(m, k): beside_twins(ours[m], [run[m] for run in twins[k]]) for m in ours for k in twins}
conclusion = "B"


# %% exercise="5.4" wrong="the words changed over" says="which comparison belongs"
def beside_twins(values, runs):
    values, runs = np.asarray(values), np.asarray(runs)
    if runs.ndim != 2 or len(runs) < 2 or runs.shape[1] != len(values):
        raise ValueError
    return np.select(
        [values < runs.min(axis=0), values > runs.max(axis=0)], ["above", "below"], "within"
    ).tolist()


beside = {(m, k): beside_twins(ours[m], [run[m] for run in twins[k]]) for m in ours for k in twins}
conclusion = "B"


# %% exercise="5.4" wrong="equal counts as outside" says="is it < or <="
def beside_twins(values, runs):
    values, runs = np.asarray(values), np.asarray(runs)
    if runs.ndim != 2 or len(runs) < 2 or runs.shape[1] != len(values):
        raise ValueError
    return np.select(
        [values >= runs.max(axis=0), values <= runs.min(axis=0)], ["above", "below"], "within"
    ).tolist()


beside = {(m, k): beside_twins(ours[m], [run[m] for run in twins[k]]) for m in ours for k in twins}
conclusion = "B"


# %% exercise="5.4" wrong="the lowest and highest of all places" says="along which axis do you take"
def beside_twins(values, runs):
    values, runs = np.asarray(values), np.asarray(runs)
    if runs.ndim != 2 or len(runs) < 2 or runs.shape[1] != len(values):
        raise ValueError
    return np.select(
        [values > runs.max(), values < runs.min()], ["above", "below"], "within"
    ).tolist()


beside = {(m, k): beside_twins(ours[m], [run[m] for run in twins[k]]) for m in ours for k in twins}
conclusion = "B"


# %% exercise="5.4" wrong="a single twin will do" says="a single twin"
def beside_twins(values, runs):
    values, runs = np.asarray(values), np.asarray(runs)
    if runs.shape[-1] != len(values):
        raise ValueError
    return np.select(
        [values > runs.max(axis=0), values < runs.min(axis=0)], ["above", "below"], "within"
    ).tolist()


beside = {(m, k): beside_twins(ours[m], [run[m] for run in twins[k]]) for m in ours for k in twins}
conclusion = "B"


# %% exercise="5.4" wrong="nothing is refused" says="a single twin"
def beside_twins(values, runs):
    out = []
    for value, *at in zip(values, *runs):
        out.append("above" if value > max(at) else "below" if value < min(at) else "within")
    return out


beside = {(m, k): beside_twins(ours[m], [run[m] for run in twins[k]]) for m in ours for k in twins}
conclusion = "B"


# %% exercise="5.4" wrong="one run of each kind" says="all three of its runs"
def beside_twins(values, runs):
    values, runs = np.asarray(values), np.asarray(runs)
    if runs.ndim != 2 or len(runs) < 2 or runs.shape[1] != len(values):
        raise ValueError
    return np.select(
        [values > runs.max(axis=0), values < runs.min(axis=0)], ["above", "below"], "within"
    ).tolist()


beside = {
    (m, k): beside_twins(ours[m], [twins[k][0][m]] * 2) if m == "no" else ["above"] * len(ours[m])
    for m in ours
    for k in twins
}
conclusion = "B"


# %% exercise="5.4" wrong="kinds changed over" says="this kind of twin"
def beside_twins(values, runs):
    values, runs = np.asarray(values), np.asarray(runs)
    if runs.ndim != 2 or len(runs) < 2 or runs.shape[1] != len(values):
        raise ValueError
    return np.select(
        [values > runs.max(axis=0), values < runs.min(axis=0)], ["above", "below"], "within"
    ).tolist()


beside = {
    (m, k): beside_twins(ours[m], [run[m] for run in twins[other]])
    for m in ours
    for k, other in (("random blocks", "random twin"), ("random twin", "random blocks"))
}
conclusion = "B"


# %% exercise="5.4" wrong="conclusion A" says="is it 0"
def beside_twins(values, runs):
    values, runs = np.asarray(values), np.asarray(runs)
    if runs.ndim != 2 or len(runs) < 2 or runs.shape[1] != len(values):
        raise ValueError
    return np.select(
        [values > runs.max(axis=0), values < runs.min(axis=0)], ["above", "below"], "within"
    ).tolist()


beside = {(m, k): beside_twins(ours[m], [run[m] for run in twins[k]]) for m in ours for k in twins}
conclusion = "A"


# %% exercise="5.4" wrong="conclusion C" says="kind of twin, which has learnt nothing"
def beside_twins(values, runs):
    values, runs = np.asarray(values), np.asarray(runs)
    if runs.ndim != 2 or len(runs) < 2 or runs.shape[1] != len(values):
        raise ValueError
    return np.select(
        [values > runs.max(axis=0), values < runs.min(axis=0)], ["above", "below"], "within"
    ).tolist()


beside = {(m, k): beside_twins(ours[m], [run[m] for run in twins[k]]) for m in ours for k in twins}
conclusion = "C"


# %% exercise="5.4" wrong="conclusion D" says="is the last one larger"
def beside_twins(values, runs):
    values, runs = np.asarray(values), np.asarray(runs)
    if runs.ndim != 2 or len(runs) < 2 or runs.shape[1] != len(values):
        raise ValueError
    return np.select(
        [values > runs.max(axis=0), values < runs.min(axis=0)], ["above", "below"], "within"
    ).tolist()


beside = {(m, k): beside_twins(ours[m], [run[m] for run in twins[k]]) for m in ours for k in twins}
conclusion = "D"


# %% exercise="5.4" wrong="conclusion E" says="differ much from each other"
def beside_twins(values, runs):
    values, runs = np.asarray(values), np.asarray(runs)
    if runs.ndim != 2 or len(runs) < 2 or runs.shape[1] != len(values):
        raise ValueError
    return np.select(
        [values > runs.max(axis=0), values < runs.min(axis=0)], ["above", "below"], "within"
    ).tolist()


beside = {(m, k): beside_twins(ours[m], [run[m] for run in twins[k]]) for m in ours for k in twins}
conclusion = "E"
