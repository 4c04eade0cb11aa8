/** An expression. Every `kind` has its rule in the compiler. */
export type Expression =
  | { kind: "number"; text: string }
  | { kind: "string"; value: string }
  | { kind: "bytes" }
  | { kind: "joined"; parts: readonly JoinedPart[] }
  | { kind: "constant"; value: "True" | "False" | "None" | "..." }
  | Name
  | { kind: "tuple" | "list" | "set"; elements: readonly Expression[] }
  | { kind: "dict"; entries: readonly { key: Expression | undefined; value: Expression }[] }
  | { kind: "unary"; operator: "+" | "-" | "~" | "not"; operand: Expression }
  | { kind: "binary"; operator: BinaryOperator; left: Expression; right: Expression }
  | { kind: "compare"; left: Expression; rest: readonly { operator: Comparison; right: Expression }[] }
  | { kind: "logical"; operator: "and" | "or"; operands: readonly Expression[] }
  | { kind: "conditional"; test: Expression; whenTrue: Expression; otherwise: Expression }
  | { kind: "lambda"; parameters: Parameters; body: Expression }
  | { kind: "call"; callee: Expression; args: readonly Argument[] }
  | { kind: "attribute"; object: Expression; name: string }
  | { kind: "subscript"; object: Expression; index: Expression }
  | { kind: "slice"; parts: readonly (Expression | undefined)[] }
  | { kind: "starred"; value: Expression }
  | Comprehension
  | { kind: "named"; target: Name; value: Expression }
  | { kind: "await"; value: Expression }
  | { kind: "yield"; value: Expression | undefined; isFrom: boolean };

export type Name = { kind: "name"; id: string };
export type BinaryOperator = "+" | "-" | "*" | "/" | "//" | "%" | "**" | "@" | "<<" | ">>" | "&" | "|" | "^";
export type Comparison = "<" | ">" | "<=" | ">=" | "==" | "!=" | "in" | "not in" | "is" | "is not";
/** A text, or a value with `!r`, `!s`, `!a` and a format of its own. */
export type JoinedPart =
  | { kind: "text"; value: string }
  | { kind: "value"; value: Expression; conversion: string; format: readonly JoinedPart[] | undefined };
/** `isDouble` is the `**` of unpacked keywords; without a name and star it is positional. */
export type Argument = {
  kind: "positional" | "starred" | "doubleStarred" | "keyword";
  name: string;
  value: Expression;
};
export type Comprehension = {
  kind: "comprehension";
  form: "list" | "set" | "dict" | "generator";
  element: Expression;
  /** Of a dictionary. */
  value: Expression | undefined;
  clauses: readonly Clause[];
};
export type Clause = { target: Expression; iterable: Expression; conditions: readonly Expression[] };
export type Parameter = { name: string; defaultValue: Expression | undefined };
export type Parameters = {
  positionalOnly: number;
  positional: readonly Parameter[];
  rest: string | undefined;
  keywordOnly: readonly Parameter[];
  keywordRest: string | undefined;
};

export type Block = readonly Statement[];
export type Statement =
  | { kind: "expression"; value: Expression }
  | { kind: "assign"; targets: readonly Expression[]; value: Expression }
  | { kind: "augment"; target: Expression; operator: BinaryOperator; value: Expression }
  | { kind: "annotate"; target: Expression; value: Expression | undefined }
  | { kind: "return"; value: Expression | undefined }
  | { kind: "raise"; value: Expression | undefined; cause: Expression | undefined }
  | { kind: "pass" | "break" | "continue" }
  | { kind: "global" | "nonlocal"; names: readonly string[] }
  | { kind: "delete"; targets: readonly Expression[] }
  | { kind: "assert"; test: Expression; message: Expression | undefined }
  | { kind: "import"; modules: readonly Alias[] }
  | { kind: "importFrom"; module: string; names: readonly Alias[] }
  | { kind: "if"; test: Expression; whenTrue: Block; otherwise: Block }
  | { kind: "while"; test: Expression; body: Block; otherwise: Block }
  | { kind: "for"; target: Expression; iterable: Expression; body: Block; otherwise: Block }
  | FunctionDefinition
  | ClassDefinition
  | { kind: "with"; items: readonly { context: Expression; target: Expression | undefined }[]; body: Block }
  | { kind: "try"; body: Block; handlers: readonly Handler[]; otherwise: Block; cleanup: Block };
export type Alias = { name: string; as: string | undefined };
export type Handler = { type: Expression | undefined; name: string | undefined; body: Block };
export type FunctionDefinition = {
  kind: "def";
  name: string;
  parameters: Parameters;
  body: Block;
  decorators: readonly Expression[];
};
export type ClassDefinition = {
  kind: "class";
  name: string;
  args: readonly Argument[];
  body: Block;
  decorators: readonly Expression[];
};

/** How CPython calls an expression in its complaints. */
export function nameOf(expression: Expression): string {
  switch (expression.kind) {
    case "number":
    case "string":
    case "bytes":
      return "literal";
    case "joined":
      return "f-string expression";
    case "constant":
      return expression.value === "..." ? "ellipsis" : expression.value;
    case "unary":
    case "binary":
    case "logical":
      return "expression";
    case "compare":
      return "comparison";
    case "conditional":
      return "conditional expression";
    case "call":
      return "function call";
    case "set":
      return "set display";
    case "dict":
      return "dict literal";
    case "comprehension":
      return expression.form === "generator" ? "generator expression" : `${expression.form} comprehension`;
    case "named":
      return "named expression";
    case "yield":
      return "yield expression";
    case "await":
      return "await expression";
    case "name":
    case "tuple":
    case "list":
    case "lambda":
    case "attribute":
    case "subscript":
    case "slice":
    case "starred":
      return expression.kind;
  }
}
