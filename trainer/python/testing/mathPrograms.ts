/**
 * Templates of mathematical Python programs as models write them: a few lines that print an answer. Tests replace N,
 * M and K by numbers.
 */
const templates: readonly string[] = [
  "import math\nprint(math.gcd(N * 12, M * 18), math.lcm(N, M), math.comb(N + 5, 3), math.perm(N + 2, 2))",
  "from math import factorial\nprint(sum(int(digit) for digit in str(factorial(N + M))))",
  "from fractions import Fraction\ntotal = sum(Fraction(1, k) for k in range(1, N + 2))\nprint(total, float(total), total.limit_denominator(50))",
  "from itertools import permutations\ncount = 0\nfor p in permutations(range(1, 6)):\n    if p[0] * N + p[1] > p[2] * M:\n        count += 1\nprint(count)",
  "from itertools import combinations\nprint(len([c for c in combinations(range(1, N + 6), 3) if sum(c) % M == 0]))",
  "from itertools import product\nfrom collections import Counter\nrolls = Counter(sum(r) for r in product(range(1, 7), repeat=3))\nprint(rolls.most_common(3), rolls[N])",
  "def is_prime(n):\n    if n < 2: return False\n    return all(n % d for d in range(2, int(n ** 0.5) + 1))\nprint([p for p in range(N * 10, N * 10 + 40) if is_prime(p)])",
  "sieve = [True] * (N * 100)\nsieve[0] = sieve[1] = False\nfor i in range(2, int(len(sieve) ** 0.5) + 1):\n    if sieve[i]:\n        sieve[i * i::i] = [False] * len(sieve[i * i::i])\nprint(sum(sieve), max(i for i, p in enumerate(sieve) if p))",
  "from functools import lru_cache\n@lru_cache(maxsize=None)\ndef ways(n, k):\n    if n == 0: return 1\n    if n < 0 or k == 0: return 0\n    return ways(n - k, k) + ways(n, k - 1)\nprint(ways(N + M, N))",
  "a, b = 0, 1\nfor _ in range(N * M):\n    a, b = b, (a + b) % 10 ** 9\nprint(a)",
  "print(pow(N, M * 100, 10 ** 9 + 7), pow(N, -1, 997))",
  "import math\nr = math.sqrt(N ** 2 + M ** 2)\nprint(f'{r:.4f}', math.degrees(math.atan2(N, M)), round(math.pi * r, 3))",
  "import cmath\na, b, c = 1, N, M\nd = cmath.sqrt(b * b - 4 * a * c)\nprint((-b + d) / 2, (-b - d) / 2)",
  "from decimal import Decimal, getcontext\ngetcontext().prec = 30\nprint(Decimal(N).sqrt(), Decimal(1) / Decimal(M), Decimal('0.1') * N)",
  "import statistics as s\ndata = [N, M, N * M, 7, 3, N]\nprint(s.mean(data), s.median(data), s.mode(data), round(s.stdev(data), 6), s.pvariance(data))",
  "import random\nrandom.seed(N)\nhits = sum(random.random() ** 2 + random.random() ** 2 <= 1 for _ in range(1000))\nprint(hits, random.randint(1, M), random.sample(range(100), 3))",
  "from datetime import date, timedelta\nd = date(2024, 1, N) + timedelta(days=M * 10)\nprint(d, d.strftime('%A'), (date(2025, 1, 1) - d).days)",
  "import heapq\ngraph = {i: [(j, (i * N + j * M) % 11 + 1) for j in range(8) if j != i] for i in range(8)}\ndist = {0: 0}\nqueue = [(0, 0)]\nwhile queue:\n    d, u = heapq.heappop(queue)\n    for v, w in graph[u]:\n        if d + w < dist.get(v, 10 ** 9):\n            dist[v] = d + w\n            heapq.heappush(queue, (d + w, v))\nprint(dist)",
  "from collections import deque\nseen = {(0, 0): 0}\nqueue = deque([(0, 0)])\nwhile queue:\n    x, y = queue.popleft()\n    for nx, ny in ((x + N, y), (x, y + M), (y, x), (0, y), (x, 0)):\n        if nx <= 20 and ny <= 20 and (nx, ny) not in seen:\n            seen[nx, ny] = seen[x, y] + 1\n            queue.append((nx, ny))\nprint(len(seen), max(seen.values()))",
  "def determinant(m):\n    if len(m) == 1: return m[0][0]\n    return sum((-1) ** j * m[0][j] * determinant([row[:j] + row[j + 1:] for row in m[1:]]) for j in range(len(m)))\nprint(determinant([[N, 2, 3, 1], [4, M, 6, 0], [7, 8, 10, 5], [1, N, 2, M]]))",
  "def matmul(a, b):\n    return [[sum(x * y for x, y in zip(row, col)) for col in zip(*b)] for row in a]\nm = [[1, 1], [1, 0]]\nresult = [[1, 0], [0, 1]]\nfor _ in range(N * 3):\n    result = matmul(result, m)\nprint(result)",
  "def f(x): return x ** 3 - N * x - M\nlo, hi = 0.0, 100.0\nwhile hi - lo > 1e-10:\n    mid = (lo + hi) / 2\n    if f(mid) > 0: hi = mid\n    else: lo = mid\nprint(round(lo, 6))",
  "h = 1 / 1000\nprint(sum((i * h) ** N * h for i in range(1000)), sum(M ** -k for k in range(20)))",
  "n, steps = N * 1000 + M, 0\nwhile n != 1:\n    n = n // 2 if n % 2 == 0 else 3 * n + 1\n    steps += 1\nprint(steps)",
  "print([x for x in range(-N * 10, N * 10 + 1) if x * x - N * x - M * (M + N) == 0])",
  "solutions = [(a, b, c) for a in range(1, N + 15) for b in range(a, N + 15) for c in range(b, N + 20) if a * a + b * b == c * c]\nprint(len(solutions), solutions[:3])",
  "def divisors(n):\n    return sorted({d for i in range(1, int(n ** 0.5) + 1) if n % i == 0 for d in (i, n // i)})\nprint(divisors(N * M * 12), sum(divisors(360 * N)))",
  "from typing import List\nclass Polynomial:\n    def __init__(self, c: List[int]): self.c = c\n    def __mul__(self, o):\n        r = [0] * (len(self.c) + len(o.c) - 1)\n        for i, a in enumerate(self.c):\n            for j, b in enumerate(o.c): r[i + j] += a * b\n        return Polynomial(r)\n    def __repr__(self): return f'Polynomial({self.c})'\np = Polynomial([1, N])\nfor _ in range(3): p = p * Polynomial([M, 1])\nprint(p)",
  "from dataclasses import dataclass\n@dataclass(order=True)\nclass Point:\n    x: int\n    y: int = M\npoints = sorted(Point(i * N % 7) for i in range(5))\nprint(points, max(points).y)",
  "values = list(range(1, N + 4))\nprint(values[N])\nprint(values[N + M + 10])",
  "result = {'a': N}\nprint(result['b'])",
  "x = 'N' + M",
  "import re\nprint(re.findall(r'\\d+', 'N apples and M pears, 3 each'), re.sub(r'(\\d)(?=(\\d{3})+$)', r'\\1,', str(N * 10 ** 6 + M)))",
  "import string\ncode = ''.join(string.ascii_lowercase[(string.ascii_lowercase.index(c) + N) % 26] for c in 'mathematics')\nprint(code, int('1011', 2) * M, bin(N), oct(M), hex(N * M))",
  "print(f'{N / M:.3f} {N:>5d} {M:05d} {N * 10 ** 7:,} {N / 7:e} {M / 100:.1%}', round(-N / 2), N // -M, -N % M, divmod(-N, M))",
  "import numpy as np\nprint(np.linalg.det(np.array([[N, 1], [1, M]])))",
  "import operator, functools\nprint(functools.reduce(operator.mul, range(1, N + 1)), 1e300 ** N)",
];

const numbers: readonly (readonly [number, number])[] = [
  [3, 7],
  [5, 4],
  [8, 9],
  [12, 5],
  [6, 11],
];

export const mathPrograms: readonly string[] = templates.flatMap((template) =>
  numbers.map(([n, m]) => template.replaceAll(/\bN\b/g, `${n}`).replaceAll(/\bM\b/g, `${m}`)),
);
