/**
 * What `dir` lists of CPython 3.11's types and modules, names with underscores left out: an attribute that does not
 * exist is compared with them, whether we have them or not.
 */
export const publicNames: Readonly<Record<string, string>> = {
  int: "as_integer_ratio bit_count bit_length conjugate denominator from_bytes imag numerator real to_bytes",
  float: "as_integer_ratio conjugate fromhex hex imag is_integer real",
  str: "capitalize casefold center count encode endswith expandtabs find format format_map index isalnum isalpha isascii isdecimal isdigit isidentifier islower isnumeric isprintable isspace istitle isupper join ljust lower lstrip maketrans partition removeprefix removesuffix replace rfind rindex rjust rpartition rsplit rstrip split splitlines startswith strip swapcase title translate upper zfill",
  bool: "as_integer_ratio bit_count bit_length conjugate denominator from_bytes imag numerator real to_bytes",
  list: "append clear copy count extend index insert pop remove reverse sort",
  tuple: "count index",
  dict: "clear copy fromkeys get items keys pop popitem setdefault update values",
  set: "add clear copy difference difference_update discard intersection intersection_update isdisjoint issubset issuperset pop remove symmetric_difference symmetric_difference_update union update",
  frozenset: "copy difference intersection isdisjoint issubset issuperset symmetric_difference union",
  range: "count index start step stop",
  complex: "conjugate imag real",
  generator: "close gi_code gi_frame gi_running gi_suspended gi_yieldfrom send throw",
  type: "mro",
  Fraction: "as_integer_ratio conjugate denominator from_decimal from_float imag limit_denominator numerator real",
  Counter:
    "clear copy elements fromkeys get items keys most_common pop popitem setdefault subtract total update values",
  defaultdict: "clear copy default_factory fromkeys get items keys pop popitem setdefault update values",
  deque: "append appendleft clear copy count extend extendleft index insert maxlen pop popleft remove reverse rotate",
  Exception: "add_note args with_traceback",
  "module math":
    "acos acosh asin asinh atan atan2 atanh cbrt ceil comb copysign cos cosh degrees dist e erf erfc exp exp2 expm1 fabs factorial floor fmod frexp fsum gamma gcd hypot inf isclose isfinite isinf isnan isqrt lcm ldexp lgamma log log10 log1p log2 modf nan nextafter perm pi pow prod radians remainder sin sinh sqrt tan tanh tau trunc ulp",
  "module itertools":
    "accumulate chain combinations combinations_with_replacement compress count cycle dropwhile filterfalse groupby islice pairwise permutations product repeat starmap takewhile tee zip_longest",
  "module functools":
    "GenericAlias RLock WRAPPER_ASSIGNMENTS WRAPPER_UPDATES cache cached_property cmp_to_key get_cache_token lru_cache namedtuple partial partialmethod recursive_repr reduce singledispatch singledispatchmethod total_ordering update_wrapper wraps",
  "module fractions": "Decimal Fraction math numbers operator re sys",
  "module collections": "ChainMap Counter OrderedDict UserDict UserList UserString abc defaultdict deque namedtuple",
};

/** Every built-in name in CPython's order. */
export const builtinNames =
  "__name__ __doc__ __package__ __loader__ __spec__ __build_class__ __import__ abs all any ascii bin breakpoint callable chr compile delattr dir divmod eval exec format getattr globals hasattr hash hex id input isinstance issubclass iter aiter len locals max min next anext oct ord pow print repr round setattr sorted sum vars None Ellipsis NotImplemented False True bool memoryview bytearray bytes classmethod complex dict enumerate filter float frozenset property int list map object range reversed set slice staticmethod str super tuple type zip __debug__ BaseException BaseExceptionGroup Exception GeneratorExit KeyboardInterrupt SystemExit ArithmeticError AssertionError AttributeError BufferError EOFError ImportError LookupError MemoryError NameError OSError ReferenceError RuntimeError StopAsyncIteration StopIteration SyntaxError SystemError TypeError ValueError Warning FloatingPointError OverflowError ZeroDivisionError BytesWarning DeprecationWarning EncodingWarning FutureWarning ImportWarning PendingDeprecationWarning ResourceWarning RuntimeWarning SyntaxWarning UnicodeWarning UserWarning BlockingIOError ChildProcessError ConnectionError FileExistsError FileNotFoundError InterruptedError IsADirectoryError NotADirectoryError PermissionError ProcessLookupError TimeoutError IndentationError IndexError KeyError ModuleNotFoundError NotImplementedError RecursionError UnboundLocalError UnicodeError BrokenPipeError ConnectionAbortedError ConnectionRefusedError ConnectionResetError TabError UnicodeDecodeError UnicodeEncodeError UnicodeTranslateError ExceptionGroup EnvironmentError IOError open quit exit copyright credits license help";
