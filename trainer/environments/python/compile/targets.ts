import type { Expression } from "../syntax/ast.ts";
import { SyntaxFault } from "../syntax/token.ts";
import { emit, emitVariable, nameIndex, type Emitter } from "./emitter.ts";

type EmitExpression = (emitter: Emitter, expression: Expression) => void;

/** Stores the value on top of the stack. */
export function emitStore(emitter: Emitter, target: Expression, emitExpression: EmitExpression): void {
  switch (target.kind) {
    case "name":
      emitVariable(emitter, "store", target.id);
      return;
    case "attribute":
      emitExpression(emitter, target.object);
      emit(emitter, "storeAttribute", nameIndex(emitter, target.name));
      return;
    case "subscript":
      emitExpression(emitter, target.object);
      emitExpression(emitter, target.index);
      emit(emitter, "storeSubscript");
      return;
    case "tuple":
    case "list":
      emitUnpack(emitter, target.elements, emitExpression);
      return;
    case "starred":
      throw new SyntaxFault("starred assignment target must be in a list or tuple");
    default:
      throw new Error(`no target: ${target.kind}`);
  }
}

function emitUnpack(emitter: Emitter, elements: readonly Expression[], emitExpression: EmitExpression): void {
  const star = elements.findIndex(({ kind }) => kind === "starred");
  if (star !== elements.findLastIndex(({ kind }) => kind === "starred")) {
    throw new SyntaxFault("multiple starred expressions in assignment");
  }
  // How many before the star, and how many after it.
  if (star === -1) emit(emitter, "unpack", elements.length);
  else emit(emitter, "unpackRest", star * 256 + (elements.length - star - 1));
  for (const element of elements) {
    emitStore(emitter, element.kind === "starred" ? element.value : element, emitExpression);
  }
}

export function emitDelete(emitter: Emitter, target: Expression, emitExpression: EmitExpression): void {
  switch (target.kind) {
    case "name":
      emitVariable(emitter, "delete", target.id);
      return;
    case "attribute":
      emitExpression(emitter, target.object);
      emit(emitter, "deleteAttribute", nameIndex(emitter, target.name));
      return;
    case "subscript":
      emitExpression(emitter, target.object);
      emitExpression(emitter, target.index);
      emit(emitter, "deleteSubscript");
      return;
    case "tuple":
    case "list":
      for (const element of target.elements) emitDelete(emitter, element, emitExpression);
      return;
    default:
      throw new Error(`no target: ${target.kind}`);
  }
}
