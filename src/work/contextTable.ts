/** What was made of contexts, by kind of work and identity of the context: the last few that were asked for. */
import type { AnyWorkKind } from "./kind.ts";

/** Contexts that are kept at a time: more than a method of learning or planning goes back and forth between. */
export const keptContexts = 8;

export class ContextTable<Value> {
  private readonly entries: { readonly name: string; readonly context: unknown; readonly value: Value }[] = [];
  private readonly forget: (value: Value) => void;

  constructor(forget: (value: Value) => void = () => {}) {
    this.forget = forget;
  }

  /** The value of a context, made where it is not there. */
  of(kind: AnyWorkKind, context: unknown, make: () => Value): Value {
    const at = this.entries.findIndex((entry) => entry.name === kind.name && entry.context === context);
    const entry = at >= 0 ? this.entries.splice(at, 1)[0] : { name: kind.name, context, value: make() };
    this.entries.push(entry);
    if (this.entries.length > keptContexts) {
      const [oldest] = this.entries.splice(0, 1);
      this.forget(oldest.value);
    }
    return entry.value;
  }
}
