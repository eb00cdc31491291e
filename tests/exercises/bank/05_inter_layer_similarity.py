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


# %% exercise="5.4" right="counts of a multinomial draw"
def least_step(change, sentence_ids, n=1000, seed=0):
    units, unit = np.unique(sentence_ids, return_inverse=True)
    times = np.random.default_rng(seed).multinomial(len(units), [1 / len(units)] * len(units), n)
    weights = times[:, unit]  # (n, words)
    means = weights @ np.asarray(change).T / weights.sum(1, keepdims=True)
    step = np.asarray(change).mean(1).argmin()
    return step, (means.argmin(1) == step).mean()


def changes(table):
    table = table / np.sqrt((table**2).sum(-1, keepdims=True))
    return 1 - np.einsum("kwh,kwh->kw", table[:-1], table[1:])


standardised = (vectors - vectors.mean(1, keepdims=True)) / vectors.std(1, keepdims=True)
least_change = {
    "as they are": least_step(changes(vectors), sentence_ids),
    "standardised": least_step(changes(standardised), sentence_ids),
}
conclusion = "C"

# %% exercise="5.4" right="loops, with Python's random"
import random


def least_step(change, sentence_ids, n=1000, seed=0):
    by_sentence = {}
    for word, sentence in enumerate(sentence_ids):
        by_sentence.setdefault(sentence, []).append(word)
    names = list(by_sentence)
    sums = {s: np.asarray(change)[:, w].sum(axis=1) for s, w in by_sentence.items()}
    step = int(np.argmin(sum(sums.values())))
    source, hits = random.Random(seed), 0
    for _ in range(n):
        drawn = [source.choice(names) for _ in names]
        total = sum(sums[s] for s in drawn)
        hits += int(np.argmin(total)) == step
    return step, hits / n


def changes(table):
    rows = []
    for here, there in zip(table[:-1], table[1:]):
        lengths = np.linalg.norm(here, axis=1) * np.linalg.norm(there, axis=1)
        rows.append(1 - (here * there).sum(axis=1) / lengths)
    return np.array(rows)


from sklearn.preprocessing import StandardScaler

standardised = [StandardScaler().fit_transform(v) for v in vectors]
least_change = {
    "as they are": least_step(changes(vectors), sentence_ids, seed=3),
    "standardised": list(least_step(changes(np.array(standardised)), sentence_ids)),
}
conclusion = "c"

# %% exercise="5.4" right="torch"
import torch


def least_step(change, sentence_ids, n=1000, seed=0):
    change = torch.as_tensor(np.asarray(change), dtype=torch.float64)
    _, unit = np.unique(sentence_ids, return_inverse=True)
    unit = torch.as_tensor(unit)
    sums = torch.zeros(len(change), int(unit.max()) + 1, dtype=torch.float64)
    sums.index_add_(1, unit, change)
    source = torch.Generator().manual_seed(seed)
    drawn = torch.randint(sums.shape[1], (n, sums.shape[1]), generator=source)
    # The number of words is the same for every step, so sums rank as means do.
    least = sums[:, drawn].sum(-1).argmin(0)
    step = change.mean(1).argmin()
    return step, (least == step).double().mean()


def changes(table):
    table = torch.as_tensor(table)
    return 1 - torch.nn.functional.cosine_similarity(table[:-1], table[1:], dim=-1)


_t = torch.as_tensor(vectors)
# Divided by n - 1 where the others divide by n.
standardised = (_t - _t.mean(1, True)) / _t.std(1, keepdim=True)
least_change = {
    "as they are": least_step(changes(_t), sentence_ids),
    "standardised": least_step(changes(standardised), sentence_ids),
}
conclusion = "C"


# %% exercise="5.4" wrong="single words are drawn" says="whole sentences"
def least_step(change, sentence_ids, n=1000, seed=0):
    draw = np.random.default_rng(seed)
    step = change.mean(1).argmin()
    words = change.shape[1]
    hits = [change[:, draw.integers(words, size=words)].mean(1).argmin() == step for _ in range(n)]
    return int(step), float(np.mean(hits))


standardised = (vectors - vectors.mean(1, keepdims=True)) / vectors.std(1, keepdims=True)
least_change = {"as they are": (2, 0.83), "standardised": (0, 1.0)}
conclusion = "C"


# %% exercise="5.4" wrong="each step gets a resample of its own" says="same resample"
def least_step(change, sentence_ids, n=1000, seed=0):
    units, unit = np.unique(sentence_ids, return_inverse=True)
    draw = np.random.default_rng(seed)
    means = []
    for row in change:
        times = draw.multinomial(len(units), np.full(len(units), 1 / len(units)), n)[:, unit]
        means.append(times @ row / times.sum(1))
    step = change.mean(1).argmin()
    return int(step), float(np.mean(np.argmin(means, axis=0) == step))


standardised = (vectors - vectors.mean(1, keepdims=True)) / vectors.std(1, keepdims=True)
least_change = {"as they are": (2, 0.83), "standardised": (0, 1.0)}
conclusion = "C"


# %% exercise="5.4" wrong="the largest change" says="least or largest"
def least_step(change, sentence_ids, n=1000, seed=0):
    units, unit = np.unique(sentence_ids, return_inverse=True)
    times = np.random.default_rng(seed).multinomial(
        len(units), np.full(len(units), 1 / len(units)), n
    )
    means = times[:, unit] @ change.T
    step = change.mean(1).argmax()
    return int(step), float(np.mean(means.argmax(1) == step))


standardised = (vectors - vectors.mean(1, keepdims=True)) / vectors.std(1, keepdims=True)
least_change = {"as they are": (2, 0.83), "standardised": (0, 1.0)}
conclusion = "C"


# %% exercise="5.4" wrong="steps counted from 1" says="where the count begins"
def least_step(change, sentence_ids, n=1000, seed=0):
    units, unit = np.unique(sentence_ids, return_inverse=True)
    times = np.random.default_rng(seed).multinomial(
        len(units), np.full(len(units), 1 / len(units)), n
    )
    means = times[:, unit] @ change.T
    step = change.mean(1).argmin()
    return int(step) + 1, float(np.mean(means.argmin(1) == step))


standardised = (vectors - vectors.mean(1, keepdims=True)) / vectors.std(1, keepdims=True)
least_change = {"as they are": (2, 0.83), "standardised": (0, 1.0)}
conclusion = "C"


# %% exercise="5.4" wrong="a mean over sentences" says="over words, each counting the same"
def least_step(change, sentence_ids, n=1000, seed=0):
    units, unit = np.unique(sentence_ids, return_inverse=True)
    per = np.array([np.bincount(unit, row) for row in change]) / np.bincount(unit)
    times = np.random.default_rng(seed).multinomial(
        len(units), np.full(len(units), 1 / len(units)), n
    )
    step = per.mean(1).argmin()
    return int(step), float(np.mean((times @ per.T).argmin(1) == step))


standardised = (vectors - vectors.mean(1, keepdims=True)) / vectors.std(1, keepdims=True)
least_change = {"as they are": (2, 0.83), "standardised": (0, 1.0)}
conclusion = "C"


# %% exercise="5.4" wrong="drawn without replacement" says="replacement"
def least_step(change, sentence_ids, n=1000, seed=0):
    units, unit = np.unique(sentence_ids, return_inverse=True)
    draw = np.random.default_rng(seed)
    step = change.mean(1).argmin()
    hits = []
    for _ in range(n):
        drawn = draw.choice(units, len(units), replace=False)
        words = np.concatenate([np.flatnonzero(sentence_ids == s) for s in drawn])
        hits.append(change[:, words].mean(1).argmin() == step)
    return int(step), float(np.mean(hits))


standardised = (vectors - vectors.mean(1, keepdims=True)) / vectors.std(1, keepdims=True)
least_change = {"as they are": (2, 0.83), "standardised": (0, 1.0)}
conclusion = "C"


# %% exercise="5.4" wrong="the same vectors twice" says="computed from the standardised"
def least_step(change, sentence_ids, n=1000, seed=0):
    units, unit = np.unique(sentence_ids, return_inverse=True)
    times = np.random.default_rng(seed).multinomial(
        len(units), np.full(len(units), 1 / len(units)), n
    )
    means = times[:, unit] @ change.T
    step = change.mean(1).argmin()
    return int(step), float(np.mean(means.argmin(1) == step))


def changes(table):
    table = table / np.linalg.norm(table, axis=-1, keepdims=True)
    return 1 - (table[:-1] * table[1:]).sum(-1)


standardised = (vectors - vectors.mean(1, keepdims=True)) / vectors.std(1, keepdims=True)
least_change = {
    "as they are": least_step(changes(vectors), sentence_ids),
    "standardised": least_step(changes(vectors), sentence_ids),
}
conclusion = "A"


# %% exercise="5.4" wrong="cosine in the place of change" says="step 5.*change, or cosine"
def least_step(change, sentence_ids, n=1000, seed=0):
    units, unit = np.unique(sentence_ids, return_inverse=True)
    times = np.random.default_rng(seed).multinomial(
        len(units), np.full(len(units), 1 / len(units)), n
    )
    means = times[:, unit] @ change.T
    step = change.mean(1).argmin()
    return int(step), float(np.mean(means.argmin(1) == step))


def cosines(table):
    table = table / np.linalg.norm(table, axis=-1, keepdims=True)
    return (table[:-1] * table[1:]).sum(-1)


standardised = (vectors - vectors.mean(1, keepdims=True)) / vectors.std(1, keepdims=True)
least_change = {
    "as they are": least_step(cosines(vectors), sentence_ids),
    "standardised": (0, 1.0),
}
conclusion = "C"


# %% exercise="5.4" wrong="the more certain measure is right" says="which measure to use"
def least_step(change, sentence_ids, n=1000, seed=0):
    units, unit = np.unique(sentence_ids, return_inverse=True)
    times = np.random.default_rng(seed).multinomial(
        len(units), np.full(len(units), 1 / len(units)), n
    )
    means = times[:, unit] @ change.T
    step = change.mean(1).argmin()
    return int(step), float(np.mean(means.argmin(1) == step))


def changes(table):
    table = table / np.linalg.norm(table, axis=-1, keepdims=True)
    return 1 - (table[:-1] * table[1:]).sum(-1)


standardised = (vectors - vectors.mean(1, keepdims=True)) / vectors.std(1, keepdims=True)
least_change = {
    "as they are": least_step(changes(vectors), sentence_ids),
    "standardised": least_step(changes(standardised), sentence_ids),
}
conclusion = "E"


# %% exercise="5.4" wrong="a sentence drawn twice counts once" says="does your indexing keep it twice"
def least_step(change, sentence_ids, n=1000, seed=0):
    draw = np.random.default_rng(seed)
    units = np.unique(sentence_ids)
    step = change.mean(1).argmin()
    hits = 0
    for _ in range(n):
        drawn = draw.choice(units, size=len(units))
        hits += change[:, np.isin(sentence_ids, drawn)].mean(1).argmin() == step
    return int(step), hits / n


standardised = (vectors - vectors.mean(1, keepdims=True)) / vectors.std(1, keepdims=True)
least_change = {"as they are": (2, 0.83), "standardised": (0, 1.0)}
conclusion = "C"


# %% exercise="5.4" wrong="only centred" says="is there a division"
def least_step(change, sentence_ids, n=1000, seed=0):
    units, unit = np.unique(sentence_ids, return_inverse=True)
    times = np.random.default_rng(seed).multinomial(
        len(units), np.full(len(units), 1 / len(units)), n
    )
    means = times[:, unit] @ change.T
    step = change.mean(1).argmin()
    return int(step), float(np.mean(means.argmin(1) == step))


def changes(table):
    table = table / np.linalg.norm(table, axis=-1, keepdims=True)
    return 1 - (table[:-1] * table[1:]).sum(-1)


standardised = vectors - vectors.mean(1, keepdims=True)
least_change = {
    "as they are": least_step(changes(vectors), sentence_ids),
    "standardised": least_step(changes(standardised), sentence_ids),
}
conclusion = "C"


# %% exercise="5.4" wrong="all layers standardised at once" says="all of them with one mean"
def least_step(change, sentence_ids, n=1000, seed=0):
    units, unit = np.unique(sentence_ids, return_inverse=True)
    times = np.random.default_rng(seed).multinomial(
        len(units), np.full(len(units), 1 / len(units)), n
    )
    means = times[:, unit] @ change.T
    step = change.mean(1).argmin()
    return int(step), float(np.mean(means.argmin(1) == step))


def changes(table):
    table = table / np.linalg.norm(table, axis=-1, keepdims=True)
    return 1 - (table[:-1] * table[1:]).sum(-1)


standardised = (vectors - vectors.mean((0, 1))) / vectors.std((0, 1))
least_change = {
    "as they are": least_step(changes(vectors), sentence_ids),
    "standardised": least_step(changes(standardised), sentence_ids),
}
conclusion = "C"


# %% exercise="5.4" wrong="standardised along the dimensions of a word" says="along which axis"
def least_step(change, sentence_ids, n=1000, seed=0):
    units, unit = np.unique(sentence_ids, return_inverse=True)
    times = np.random.default_rng(seed).multinomial(
        len(units), np.full(len(units), 1 / len(units)), n
    )
    means = times[:, unit] @ change.T
    step = change.mean(1).argmin()
    return int(step), float(np.mean(means.argmin(1) == step))


def changes(table):
    table = table / np.linalg.norm(table, axis=-1, keepdims=True)
    return 1 - (table[:-1] * table[1:]).sum(-1)


standardised = (vectors - vectors.mean(2, keepdims=True)) / vectors.std(2, keepdims=True)
least_change = {
    "as they are": least_step(changes(vectors), sentence_ids),
    "standardised": least_step(changes(standardised), sentence_ids),
}
conclusion = "C"


# %% exercise="5.4" wrong="both are called certain" says="beside .95"
def least_step(change, sentence_ids, n=1000, seed=0):
    units, unit = np.unique(sentence_ids, return_inverse=True)
    times = np.random.default_rng(seed).multinomial(
        len(units), np.full(len(units), 1 / len(units)), n
    )
    means = times[:, unit] @ change.T
    step = change.mean(1).argmin()
    return int(step), float(np.mean(means.argmin(1) == step))


def changes(table):
    table = table / np.linalg.norm(table, axis=-1, keepdims=True)
    return 1 - (table[:-1] * table[1:]).sum(-1)


standardised = (vectors - vectors.mean(1, keepdims=True)) / vectors.std(1, keepdims=True)
least_change = {
    "as they are": least_step(changes(vectors), sentence_ids),
    "standardised": least_step(changes(standardised), sentence_ids),
}
conclusion = "B"


# %% exercise="5.4" wrong="shares typed in from another sample" says="own least_step|with their own ids"
def least_step(change, sentence_ids, n=1000, seed=0):
    units, unit = np.unique(sentence_ids, return_inverse=True)
    times = np.random.default_rng(seed).multinomial(
        len(units), np.full(len(units), 1 / len(units)), n
    )
    means = times[:, unit] @ change.T
    step = change.mean(1).argmin()
    return int(step), float(np.mean(means.argmin(1) == step))


def changes(table):
    table = table / np.linalg.norm(table, axis=-1, keepdims=True)
    return 1 - (table[:-1] * table[1:]).sum(-1)


standardised = (vectors - vectors.mean(1, keepdims=True)) / vectors.std(1, keepdims=True)
least_change = {"as they are": (2, 1.0), "standardised": (0, 1.0)}
conclusion = "B"
