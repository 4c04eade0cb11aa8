import type { Block, Comprehension, Expression, Statement } from "../syntax/ast.ts";
import { SyntaxFault } from "../syntax/token.ts";
import { blocksOf, defaultsOf, innerParts, parameterNames, partsOf } from "./walk.ts";

type Usage = { isBound: boolean; isUsed: boolean; isParameter: boolean; declared: "global" | "nonlocal" | undefined };

/** A region of the program with names of its own, and what became of each of them. */
export type Scope = {
  kind: "module" | "function" | "class" | "comprehension";
  parent: Scope | undefined;
  children: Scope[];
  usages: Map<string, Usage>;
  /** Where a name is found; `name` is looked up at run time, first here, then among the globals. */
  places: Map<string, Place>;
  isGenerator: boolean;
  /** Variables of a comprehension's own clauses. */
  iterated: Set<string>;
};

export type Place = "local" | "cell" | "free" | "global" | "name";
export type Scopes = ReadonlyMap<object, Scope>;

/** The scopes of a program by the node that opens each. Complains of declarations that contradict the names' use. */
export function analyse(block: Block): Scopes {
  const scopes = new Map<object, Scope>();
  const module = openScope("module", undefined);
  scopes.set(block, module);
  visitBlock({ scopes, scope: module }, block);
  place(module, new Set());
  return scopes;
}

type Context = { scopes: Map<object, Scope>; scope: Scope };

function openScope(kind: Scope["kind"], parent: Scope | undefined): Scope {
  const scope: Scope = {
    kind,
    parent,
    children: [],
    usages: new Map(),
    places: new Map(),
    isGenerator: false,
    iterated: new Set(),
  };
  parent?.children.push(scope);
  return scope;
}

function usageOf(scope: Scope, name: string): Usage {
  const known = scope.usages.get(name);
  if (known !== undefined) return known;
  const usage: Usage = { isBound: false, isUsed: false, isParameter: false, declared: undefined };
  scope.usages.set(name, usage);
  return usage;
}

function bind(scope: Scope, name: string): void {
  usageOf(scope, name).isBound = true;
}

function visitBlock(context: Context, block: Block): void {
  for (const statement of block) visitStatement(context, statement);
}

function visitStatement(context: Context, statement: Statement): void {
  switch (statement.kind) {
    case "assign":
      visit(context, statement.value);
      for (const target of statement.targets) visitTarget(context, target);
      return;
    case "augment":
      visit(context, statement.target);
      visitTarget(context, statement.target);
      visit(context, statement.value);
      return;
    case "annotate":
      if (statement.value !== undefined) visit(context, statement.value);
      visitTarget(context, statement.target);
      return;
    case "delete":
      for (const target of statement.targets) visitTarget(context, target);
      return;
    case "global":
    case "nonlocal":
      for (const name of statement.names) declare(context.scope, name, statement.kind);
      return;
    case "import":
      for (const { name, as } of statement.modules) bind(context.scope, as ?? name.split(".")[0] ?? name);
      return;
    case "importFrom":
      visitImportFrom(context, statement.names);
      return;
    case "def":
      visitFunction(context, statement);
      return;
    case "class":
      visitClass(context, statement);
      return;
    default:
      visitCompound(context, statement);
  }
}

function visitCompound(context: Context, statement: Statement): void {
  switch (statement.kind) {
    case "for":
      visit(context, statement.iterable);
      visitTarget(context, statement.target);
      break;
    case "with":
      for (const { context: manager, target } of statement.items) {
        visit(context, manager);
        if (target !== undefined) visitTarget(context, target);
      }
      break;
    case "try":
      visitTry(context, statement);
      return;
    default:
      for (const part of Object.values(statement)) if (isExpression(part)) visit(context, part);
  }
  for (const block of blocksOf(statement)) visitBlock(context, block);
}

function isExpression(part: unknown): part is Expression {
  return typeof part === "object" && part !== null && "kind" in part;
}

function visitTry(context: Context, statement: Extract<Statement, { kind: "try" }>): void {
  visitBlock(context, statement.body);
  for (const { type, name, body } of statement.handlers) {
    if (type !== undefined) visit(context, type);
    if (name !== undefined) bind(context.scope, name);
    visitBlock(context, body);
  }
  visitBlock(context, statement.otherwise);
  visitBlock(context, statement.cleanup);
}

function visitImportFrom({ scope }: Context, names: readonly { name: string; as: string | undefined }[]): void {
  for (const { name, as } of names) {
    if (name !== "*") bind(scope, as ?? name);
    else if (scope.kind !== "module") throw new SyntaxFault("import * only allowed at module level");
  }
}

function visitFunction(context: Context, statement: Extract<Statement, { kind: "def" }>): void {
  for (const decorator of statement.decorators) visit(context, decorator);
  for (const value of defaultsOf(statement.parameters)) visit(context, value);
  bind(context.scope, statement.name);
  const scope = openFunction(context, statement, parameterNames(statement.parameters));
  visitBlock({ ...context, scope }, statement.body);
}

function openFunction(context: Context, node: object, parameters: readonly string[]): Scope {
  const scope = openScope("function", context.scope);
  context.scopes.set(node, scope);
  for (const name of parameters) {
    const usage = usageOf(scope, name);
    if (usage.isParameter) throw new SyntaxFault(`duplicate argument '${name}' in function definition`);
    usage.isParameter = true;
    usage.isBound = true;
  }
  return scope;
}

function visitClass(context: Context, statement: Extract<Statement, { kind: "class" }>): void {
  for (const decorator of statement.decorators) visit(context, decorator);
  for (const { value } of statement.args) visit(context, value);
  bind(context.scope, statement.name);
  const scope = openScope("class", context.scope);
  context.scopes.set(statement, scope);
  visitBlock({ ...context, scope }, statement.body);
}

function declare(scope: Scope, name: string, declared: "global" | "nonlocal"): void {
  if (declared === "nonlocal" && scope.kind === "module") {
    throw new SyntaxFault("nonlocal declaration not allowed at module level");
  }
  const usage = usageOf(scope, name);
  if (usage.isParameter) throw new SyntaxFault(`name '${name}' is parameter and ${declared}`);
  if (usage.isUsed) throw new SyntaxFault(`name '${name}' is used prior to ${declared} declaration`);
  if (usage.isBound) throw new SyntaxFault(`name '${name}' is assigned to before ${declared} declaration`);
  if (usage.declared !== undefined && usage.declared !== declared) {
    throw new SyntaxFault(`name '${name}' is nonlocal and global`);
  }
  usage.declared = declared;
}

function visitTarget(context: Context, target: Expression): void {
  if (target.kind === "name") bind(context.scope, target.id);
  else if (target.kind === "tuple" || target.kind === "list") {
    for (const element of target.elements) visitTarget(context, element);
  } else if (target.kind === "starred") visitTarget(context, target.value);
  else visit(context, target);
}

function visit(context: Context, expression: Expression): void {
  const { scope } = context;
  switch (expression.kind) {
    case "name":
      usageOf(scope, expression.id).isUsed = true;
      return;
    case "named":
      visit(context, expression.value);
      bindNamed(scope, expression.target.id);
      return;
    case "lambda": {
      for (const value of partsOf(expression)) visit(context, value);
      const inner = openFunction(context, expression, parameterNames(expression.parameters));
      visit({ ...context, scope: inner }, expression.body);
      return;
    }
    case "comprehension":
      visitComprehension(context, expression);
      return;
    case "yield":
    case "await":
      visitYield(scope, expression.kind);
      break;
    default:
  }
  for (const part of partsOf(expression)) visit(context, part);
}

function visitYield(scope: Scope, kind: "yield" | "await"): void {
  if (scope.kind === "comprehension") throw new SyntaxFault(`'${kind}' inside list comprehension`);
  scope.isGenerator = true;
}

/** An assignment within a comprehension belongs to the function around it. */
function bindNamed(scope: Scope, name: string): void {
  let target = scope;
  while (target.kind === "comprehension" && target.parent !== undefined) {
    if (target.iterated.has(name)) {
      throw new SyntaxFault(`assignment expression cannot rebind comprehension iteration variable '${name}'`);
    }
    usageOf(target, name).declared = "nonlocal";
    target = target.parent;
  }
  bind(target, name);
  if (target.kind !== "module") return;
  for (let inner = scope; inner !== target && inner.parent !== undefined; inner = inner.parent) {
    usageOf(inner, name).declared = "global";
  }
}

function visitComprehension(context: Context, comprehension: Comprehension): void {
  for (const part of partsOf(comprehension)) visit(context, part);
  const scope = openScope("comprehension", context.scope);
  context.scopes.set(comprehension, scope);
  const inner = { ...context, scope };
  for (const { target } of comprehension.clauses) visitTarget(inner, target);
  for (const [name, { isBound }] of scope.usages) if (isBound) scope.iterated.add(name);
  for (const part of innerParts(comprehension)) {
    if (!comprehension.clauses.some(({ target }) => target === part)) visit(inner, part);
  }
}

/** Decides where every name is found. `around` are the names that functions around this scope bind. */
function place(scope: Scope, around: ReadonlySet<string>): void {
  const isFunction = scope.kind === "function" || scope.kind === "comprehension";
  for (const [name, usage] of scope.usages) scope.places.set(name, placeOf(scope, name, { usage, around }));
  const own = isFunction ? [...scope.places].filter(([, found]) => found === "local").map(([name]) => name) : [];
  const visible = new Set([...around, ...own]);
  for (const [name, usage] of scope.usages) if (usage.declared === "global") visible.delete(name);
  for (const child of scope.children) {
    place(child, visible);
    for (const [name, found] of child.places) if (found === "free") passOn(scope, name, isFunction);
  }
}

function placeOf(scope: Scope, name: string, { usage, around }: { usage: Usage; around: ReadonlySet<string> }): Place {
  if (usage.declared === "global") return "global";
  if (usage.declared === "nonlocal") {
    if (around.has(name)) return "free";
    throw new SyntaxFault(`no binding for nonlocal '${name}' found`);
  }
  if (scope.kind === "module") return "name";
  if (scope.kind === "class") return usage.isBound || !around.has(name) ? "name" : "free";
  if (usage.isBound) return "local";
  return around.has(name) ? "free" : "global";
}

/** A name that a scope within needs is shared from where it is bound. */
function passOn(scope: Scope, name: string, isFunction: boolean): void {
  const found = scope.places.get(name);
  if (isFunction && found === "local") scope.places.set(name, "cell");
  else if (found === undefined || (scope.kind === "class" && found === "name")) scope.places.set(name, "free");
}
