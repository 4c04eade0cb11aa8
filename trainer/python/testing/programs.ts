/**
 * Python programs as language models write them, and programs that use much of the language. Tests compare the
 * interpreter with native CPython on these programs, unchanged and with words deleted, duplicated, swapped or
 * replaced.
 */
export const programs: readonly string[] = [
  String.raw`print(sum(i * i for i in range(10) if i % 2))`,
  String.raw`def f(n):
    return 1 if n < 2 else n * f(n - 1)
print(f(20))`,
  String.raw`s = 0
n = 12345
while n > 0:
    s += n % 10
    n //= 10
print(s)`,
  String.raw`from math import gcd
print(gcd(4, 6))`,
  String.raw`import math
total = 0
for i in range(1, 101):
    if math.gcd(i, 100) == 1:
        total += 1
print(total)`,
  String.raw`a, b = 0, 1
for _ in range(20):
    a, b = b, a + b
print(a)`,
  String.raw`def is_prime(n):
    if n < 2:
        return False
    for i in range(2, int(n ** 0.5) + 1):
        if n % i == 0:
            return False
    return True

count = 0
for n in range(100):
    if is_prime(n):
        count += 1
print(count)`,
  String.raw`d = {'a': 1, 'b': [1, 2, 3]}
for k, v in d.items():
    print(k, v, sep=': ')`,
  String.raw`x = [i for i in range(10) if i % 2 == 0]
print(len(x), x[0], x[-1], x[1:3], x[::-1])`,
  String.raw`try:
    x = 1 / 0
except ZeroDivisionError as e:
    print('error', e)
finally:
    print("done")`,
  String.raw`print(f"{3.14159:.2f} and {1 + 2} {'a' + 'b'!r}")`,
  String.raw`from itertools import combinations, permutations
print(len(list(combinations(range(5), 2))))
for p in permutations([1, 2, 3]):
    if p[0] < p[1]:
        print(*p, sep=' ')`,
  String.raw`f = lambda x, y=2, *a, **k: x + y
print(f(1), f(1, y=3))`,
  String.raw`from fractions import Fraction
print(Fraction(1, 3) + Fraction(1, 6))`,
  String.raw`n = int('12') + 3
if n > 10 and n < 20 or not n:
    print("yes")
elif n == 5:
    pass
else:
    print('no')`,
  String.raw`def g(a, b=3, *args, c=4, **kw):
    """doc"""
    global z
    z = a + b
    assert z > 0, "neg"
    return [a, b, args, c, kw]
print(g(1, 2, 3, c=5, d=6))`,
  String.raw`s = {1, 2, 3} | {4}
t = (1, 2) + (3,)
print(sorted(s, reverse=True), max(t, key=lambda v: -v))`,
  String.raw`result = [(x, y) for x in range(5) for y in range(x) if x + y == 4]
print(result, {x: y for x, y in result})`,
  String.raw`while True:
    n = n + 1 if n else 1
    if n > 5: break
    else: continue`,
  String.raw`x = 5; y = x ** 2 - 3 * x + 2
print(y == 12, y != 3, x is None, x in [1, 2], not x)`,
  String.raw`print("Hello, world!".upper()[::-1].split(','), 'a' * 3, "%d" % 5)`,
  String.raw`final_answer(42)`,
  String.raw`class A:
    def __init__(self, x):
        self.x = x
print(A(3).x)`,
  String.raw`x = [1, 2,
     3, 4]
print(x[0],
      x[1])`,
  String.raw`raise ValueError("bad input") from None`,
  String.raw`if (n := 10) > 5:
    print(n & 1, n | 2, n ^ 3, n << 1, n >> 1, ~n, -n, +n)`,
  String.raw`print([1,2,3][::2], "hello"[1:-1], (1,2,3)[-1:], range(10)[2:5], list(range(10, 0, -3)))`,
  String.raw`x = [3,1,2]
x.sort(reverse=True)
print(x, sorted(x), sorted("hello"), sorted({"b":1,"a":2}), sorted([(1,"b"),(1,"a")]))`,
  String.raw`print({1,2,3}, {3,1,2}, set([5,3,1]), {10, 5, 100, 7}, {1000, 2, 33, 8, 16}, set(range(20)), frozenset([1,2]))`,
  String.raw`print({-1, -2, 5, 1.5, 2.5, 100.25}, {2**70, 3**50, 5}, {(1,2), (3,4), (0,)})`,
  String.raw`s = set()
for i in [17, 1, 33, 65, 129, 9, 3]: s.add(i)
print(s); s.discard(33); s.add(97); print(s, s.pop(), s)`,
  String.raw`a = {1,2,3,4,50}; b = {3,4,5,60}
print(a & b, a | b, a - b, a ^ b, a <= b, a < a | b, a.isdisjoint(b), a.union([7,8]), a.intersection([1,2]))`,
  String.raw`print(1.0, 1e5, 1e15, 1e16, 1e-4, 1e-5, 123456789.123456789, 0.1+0.2, 1/3, 2/3, 1e300*1e10, -0.0, 5e-324, 1.7976931348623157e308)`,
  String.raw`print(round(2.5), round(3.5), round(-2.5), round(0.5), round(1.005, 2), round(2.675, 2), round(1234.5678, -2), round(1e20), round(5, -1), round(15, -1), round(25, -1))`,
  String.raw`print(7 // 2, -7 // 2, 7 // -2, 7 % -3, -7 % 3, 7.5 // 2, -7.5 // 2, 7.5 % -2, -7.5 % 2, divmod(-7, 2), divmod(7.5, -2))`,
  String.raw`print(2 ** 10, 2 ** -1, 2 ** 0.5, (-2) ** 3, (-8) ** (1/3), 0 ** 0, 2 ** 100, (-2) ** 101, 10 ** 20)`,
  String.raw`print(pow(3, 100, 7), pow(3, -1, 7), pow(2, 1000, 10**9+7), pow(-3, 3, 5), pow(3, 3, -5))`,
  String.raw`print(10**18 * 10**18, 10**30 // 7, 10**30 % 7, -10**30 // 7, 10**30 / 7, 10**25 - 10**25 + 1, 2**64 ^ 2**63, ~2**70, 2**70 >> 3, -2**70 >> 3, 1 << 70)`,
  String.raw`print(f"{3.14159:.2f} {42:05d} {42:>8} {42:<8}| {42:^8}| {1234567:,} {0.1234:.1%} {255:x} {255:#x} {255:b} {'a':>5} {'abc':.2} {3.0:g} {1e10:g} {1e-10:e} {-5:+d} {5: d} {1234.5:,.2f}")`,
  String.raw`print("%d %5d %-5d| %05d %s %r %.2f %5.1f %x %o %e %g %c %%" % (1, 2, 3, 4, "a", "b", 3.14159, 2.5, 255, 8, 12345.678, 0.0001, "z"))`,
  String.raw`print("{} {1}".format(1, 2) if False else "{0} {1} {0} {x:.2f} {y!r:>5}".format(1, 2, x=3.14159, y="a"))`,
  String.raw`x = 5
print(f"{x=} {x*2=:>5} {x!r} {'q'!r} {{}} {x:{x}} {x:0{x}d}")`,
  String.raw`def gen(n):
    for i in range(n):
        yield i
    yield from [10, 20]
print(list(gen(3)), sum(gen(4)), [x for x in gen(2)])
g = gen(1)
print(next(g), next(g), next(g), next(g, "end"))`,
  String.raw`def acc():
    total = 0
    while True:
        x = yield total
        if x is None: return
        total += x
g = acc(); next(g); print(g.send(5), g.send(6))
try: g.send(None)
except StopIteration as e: print("stop")`,
  String.raw`from itertools import *
print(list(combinations([1,2,3,4], 2)), list(permutations([1,2,3])), list(product([1,2],[3,4])), list(product([0,1], repeat=2)), list(combinations_with_replacement("ab", 2)))
print(list(accumulate([1,2,3])), list(chain([1],[2,3])), list(islice(count(5), 3)), list(zip_longest([1],[2,3])), [(k, list(g)) for k, g in groupby("aabbc")], list(takewhile(lambda x: x<3, [1,2,3,1])), list(dropwhile(lambda x: x<3, [1,2,3,1])), list(permutations(range(3), 2)), list(chain.from_iterable([[1],[2]])), list(starmap(pow, [(2,3)])), list(pairwise([1,2,3])), list(repeat(1,3)), list(islice(cycle([1,2]), 5)), list(compress("abc",[1,0,1])), list(filterfalse(None,[0,1])))`,
  String.raw`from functools import reduce, lru_cache, cache, partial, cmp_to_key
print(reduce(lambda a, b: a * b, [1,2,3,4]), reduce(lambda a,b: a+b, [], 5))
@lru_cache(maxsize=None)
def fib(n): return n if n < 2 else fib(n-1) + fib(n-2)
print(fib(50), partial(pow, 2)(5), sorted([3,1,2], key=cmp_to_key(lambda a,b: b-a)))`,
  String.raw`from fractions import Fraction as F
print(F(1,3)+F(1,6), F(6,4), F("0.75"), F(0.5), F(3), F(1,3)*2, 1-F(1,3), F(1,2)**2, F(1,2)**-2, F(7,2)//1, F(7,2)%1, float(F(1,4)), F(1,3)+0.5, F(1,2)==0.5, F(1,2)<1, [F(1,2)], F(-3,6), abs(F(-1,2)), int(F(7,2)), round(F(7,2)), F(7,2).numerator, F(22,7).limit_denominator(5), max(F(1,2),F(1,3)), sum([F(1,2),F(1,3)]), F(3,1).denominator, -F(1,2), F(1.1).limit_denominator(100))`,
  String.raw`from collections import Counter, defaultdict, deque, OrderedDict, namedtuple
c = Counter("abracadabra"); print(c, c.most_common(2), c["z"], sum(c.values()), Counter([1,1,2]) + Counter([2]), sorted(c.elements()))
d = defaultdict(list); d["a"].append(1); print(d, dict(d), d["b"])
q = deque([1,2,3]); q.appendleft(0); q.append(4); print(q, q.popleft(), q.pop(), len(q), list(q)); q.rotate(1); print(q)
P = namedtuple("P", "x y"); p = P(1, 2); print(p, p.x, p[1], p == (1,2))
print(OrderedDict([("a", 1)]), deque([1,2,3], maxlen=2))`,
  String.raw`import math
print(math.pi, math.e, math.sqrt(2), math.floor(-2.5), math.ceil(2.1), math.gcd(12, 18), math.lcm(4, 6), math.factorial(20), math.comb(10, 3), math.perm(5, 2), math.isqrt(99), math.log(8, 2), math.log2(8), math.log10(1000), math.prod([1,2,3]), math.hypot(3,4), math.trunc(-2.7), math.inf, math.nan, math.degrees(math.pi), math.sin(1), math.atan2(1,2), math.fsum([0.1]*10), math.isclose(0.1+0.2,0.3), math.exp(1), math.modf(2.5), math.frexp(8), math.gcd(0,0), math.gcd(), math.factorial(30), math.comb(100,50), math.dist((0,0),(3,4)), math.copysign(1,-0.0), math.fmod(-7,3))`,
  String.raw`print("Hello World".upper(), "abc".title(), "a b  c".split(), "a,b,,c".split(","), " x ".strip(), "xxabcxx".strip("x"), "abc".find("c"), "abc".replace("b","B"), "abc".startswith("ab"), "abc".count("b"), "a-b".partition("-"), "abc".zfill(5), "-5".zfill(4), "abc".center(8,"*"), "abc".rjust(5), "a\nb".splitlines(), "abc".isalpha(), "12".isdigit(), "Ab".swapcase(), "a1".isalnum(), "abc"[::-1], "abc".index("b"), "a b c".rsplit(" ", 1), "a b c".split(None, 1), "%s" % "x", "abc" < "abd", "a" in "abc", "ab" * 2, "x".join("abc"), "hello world foo".title(), "HELLO".capitalize(), "tEST".lower(), "ß".upper(), "abcabc".rfind("b"), "a\tb".expandtabs(4))`,
  String.raw`d = {"a": 1, "b": 2}
d["c"] = 3; del d["a"]
print(d, d.keys(), d.values(), d.items(), list(d), "b" in d, d.get("z"), d.get("z", 5), d.pop("b"), d.setdefault("q", 9), d | {"w": 1}, len(d), dict(a=1), dict([(1,2)]), {**d, "k": 1}, dict.fromkeys([1,2], 0), {k: v for k, v in zip("ab", [1,2])}, max(d, key=d.get), d == {"c": 3, "q": 9}, reversed(list(d)).__class__ if False else "")
d.update({"x": 1}, y=2); print(d, sorted(d.items(), key=lambda kv: -kv[1]), d.popitem())`,
  String.raw`x = [1,2,3,4,5]
x[1:3] = [9]; print(x); x[::2] = [0,0]; print(x); del x[0]; print(x); x.insert(1, 7); x.extend([1]); print(x, x.count(1), x.index(7), x.pop(), x.pop(0)); x += [5]; x *= 2; print(x); x.reverse(); print(x, x.copy(), 7 in x); x.clear(); print(x)`,
  String.raw`a, *b, c = range(5); print(a, b, c); (x, y), z = (1, 2), 3; print(x, y, z); [p, q] = "ab"; print(p, q); *m, = (1,2); print(m)`,
  String.raw`i = 0
while i < 10:
    i += 1
    if i == 3: continue
    if i == 6: break
else: print("no")
print(i)
for k in range(3):
    pass
else: print("yes", k)`,
  String.raw`def f(a, b=2, *args, c=3, **kw): return (a, b, args, c, kw)
print(f(1), f(1, 5, 6, 7, c=8, d=9), f(*[1, 2], **{"c": 4}), f(b=1, a=2))`,
  String.raw`def outer():
    x = 1
    def inner():
        nonlocal x
        x += 1
        return x
    inner(); return inner()
print(outer(), [f() for f in [lambda i=i: i for i in range(3)]], [f() for f in [lambda: i for i in range(3)]])`,
  String.raw`try:
    try:
        1/0
    except ZeroDivisionError as e:
        print("caught", e, type(e).__name__, repr(e), e.args)
        raise ValueError("v") from e
    finally:
        print("fin")
except (TypeError, ValueError) as e:
    print(e)
else:
    print("else")
def f():
    try: return 1
    finally: print("cleanup")
print(f())
def g():
    for i in range(3):
        try:
            if i == 1: continue
            if i == 2: break
        finally: print("f", i)
    return "done"
print(g())`,
  String.raw`class A:
    count = 0
    def __init__(self, x): self.x = x; A.count += 1
    def __add__(self, o): return A(self.x + o.x)
    def __repr__(self): return f"A({self.x})"
    def __eq__(self, o): return self.x == o.x
    def __lt__(self, o): return self.x < o.x
    def __len__(self): return self.x
    def __getitem__(self, i): return i * self.x
    def __call__(self, y): return self.x * y
    def __contains__(self, y): return y == self.x
    @property
    def double(self): return self.x * 2
    @staticmethod
    def s(): return "s"
    @classmethod
    def c(cls): return cls.count
    def __iter__(self): return iter(range(self.x))
class B(A):
    def __init__(self, x): super().__init__(x + 1)
    def __str__(self): return "B!"
a, b = A(2), B(2)
print(a + b, a, b, str(b), repr(b), a == A(2), a < b, len(a), a[3], a(4), 2 in a, a.double, A.s(), A.c(), list(a), sorted([b, a]), isinstance(b, A), type(b).__name__, max(a, b), hasattr(a, "x"), getattr(a, "zz", 1))`,
  String.raw`print(int("0x1f", 16), int("101", 2), int(" 42 "), int("-7"), int("1_000"), float("1e3"), float("inf"), float(" 2.5 "), int(3.9), int(-3.9), int(True), str(1.5), str(None), bool([]), bool("a"), list("abc"), tuple([1]), complex(1, 2), (1+2j)*(3-1j), abs(3+4j), 1j**2)`,
  String.raw`print(1 == 1.0, 1 is 1, "a" == "a", [1] == [1], None is None, not [], 1 < 2 < 3, 1 < 3 > 2, True + True, True == 1, 0.1 + 0.2 == 0.3, 2**53 == 2.0**53, 10**20 == 1e20, 2**53+1 == 2.0**53)`,
  String.raw`print(all([]), any([]), sum([0.1]*3), sum([[1],[2]], []), min(3,1,2), max("abc"), min([3,1], key=lambda x: -x), max([], default=5), list(map(lambda x, y: x+y, [1,2],[3,4])), list(filter(None, [0,1,2])), list(enumerate("ab", 1)), list(zip("ab", [1,2,3])), list(reversed([1,2])), sorted([3,1,2], key=lambda x: -x), abs(-5), abs(-2.5), hash(5), hash(2.0), hash(-1), hash(2**61), hash((1,2,3)), callable(len), chr(97), ord("a"), bin(-5), oct(8), hex(-255), repr("a'b"), repr('a"b'), repr("a\nb\t\\"), ascii("é"), "é", isinstance(True, int), isinstance(1, (str, int)), issubclass(bool, int), divmod(7,3), iter([1]).__class__.__name__)`,
  String.raw`print([[1,2],[3]], [(1,), ()], {"a": [1, {"b": None}]}, [True, None, 1.5, "x"], {(1,2): 3}, [[]]*2)
x = [1]; x.append(x); print(x)
d = {}; d[1] = d; print(d)`,
  String.raw`print(*[1,2,3], sep=", ", end="!\n"); print(); print("a", "b", sep=""); print(print("x"))`,
  String.raw`n = 600851475143
i = 2
while i * i <= n:
    while n % i == 0: n //= i
    i += 1
print(n)`,
  String.raw`print(sum(1 for a in range(1, 50) for b in range(a, 50) if (a*a+b*b)**0.5 % 1 == 0))`,
  String.raw`from math import *
print(sqrt(16), floor(2.5), gcd(4, 6), factorial(5))`,
  String.raw`def p(n):
    return all(n % i for i in range(2, int(n**.5)+1)) and n > 1
print([n for n in range(50) if p(n)])`,
  String.raw`m = [[1,2],[3,4]]
print(list(zip(*m)), [[sum(a*b for a,b in zip(r,c)) for c in zip(*m)] for r in m], [row[:] for row in m], sum(map(sum, m)))`,
  String.raw`print("a" "b", 'it\'s', "tab\there", r"raw\n", """multi
line""", "\x41\u0042", len("héllo"), "😀"[0], len("😀"), "😀x"[1])`,
  String.raw`x = 10
def f():
    global x
    x = 20
f(); print(x)
if (y := x + 1) > 5: print(y)
print([z := 5, z**2], (lambda *a, **k: (a, k))(1, b=2))`,
  String.raw`print(1_000_000, 0xff, 0b11, 0o17, 1e3, .5, 5., 1e-3, 3j)`,
  String.raw`lst = [5, 2, 9]
lst2 = lst
lst2.append(1)
print(lst, lst is lst2, lst == [5,2,9,1], id(lst) == id(lst2))`,
  String.raw`with_ctx = []
class C:
    def __enter__(self): with_ctx.append("in"); return self
    def __exit__(self, *a): with_ctx.append("out"); return True
with C() as c:
    1/0
print(with_ctx)`,
  String.raw`print(f"{'nested ' + f'{1+1}'}", f"{3:>{5}}", f'{"a" if True else "b"}', f"{[1,2][0]}", f"{ {'a':1}['a'] }", f"{1 != 2}", f"{(lambda x: x)(3)}")`,
  String.raw`del_me = [1,2,3]
del del_me[::2]
print(del_me); print(tuple(x for x in range(3)), {x%2 for x in range(5)}, dict((i, i*i) for i in range(3)))`,
  String.raw`print("abc" > "abd", (1,2) < (1,3), [1,2] < [1], {1} < {1,2}, (1, "a") == (1, "a"), "a" != "b")`,
  String.raw`import math as m
from math import sqrt as s, pi
print(m.floor(pi), s(9)); import itertools as it; print(list(it.islice(it.count(), 3)))`,
  String.raw`print(3 if 2 > 1 else 4, [i if i % 2 else -i for i in range(4)], not 1 == 2, 1 or 1/0, 0 and 1/0, "" or "x", None or 0)`,
  String.raw`print(sorted([1.5, 1, 2, True]), sorted(["b", "A", "a"]), sorted([(2, 1), (1, 2)], key=lambda t: t[1]), sorted([3,1,2], reverse=True), sorted(range(100), key=lambda x: (x % 7, -x))[:10])`,
  String.raw`print(1e22, 1e21, 123456789012345680.0, 1e15+0.3, 0.00001234, 100.0, 1e100, float("nan"), -float("inf"), 4.35, 2.675*100, 1.1*3, 9.99e-5, 12345678.9)`,
];
