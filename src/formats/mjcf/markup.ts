/** XML text from elements. Numbers are written so that they read back to the last bit. */

export type AttributeValue = string | number | boolean | readonly number[] | undefined;

export interface Markup {
  readonly name: string;
  readonly attributes: Readonly<Record<string, AttributeValue>>;
  readonly children: readonly Markup[];
}

export function markup(
  name: string,
  attributes: Readonly<Record<string, AttributeValue>> = {},
  children: readonly (Markup | undefined)[] = [],
): Markup {
  return { name, attributes, children: children.filter((child) => child !== undefined) };
}

/** A section, if it has anything in it. */
export function section(name: string, children: readonly Markup[]): Markup | undefined {
  return children.length > 0 ? markup(name, {}, children) : undefined;
}

export function writeMarkup({ name, attributes, children }: Markup, indent = ""): string {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}="${escaped(shown(value as string))}"`)
    .join("");
  if (children.length === 0) return `${indent}<${name}${written}/>\n`;
  const inner = children.map((child) => writeMarkup(child, `${indent}  `)).join("");
  return `${indent}<${name}${written}>\n${inner}${indent}</${name}>\n`;
}

function shown(value: Exclude<AttributeValue, undefined>): string {
  return Array.isArray(value) ? value.map((entry) => entry + 0).join(" ") : String(value);
}

function escaped(text: string): string {
  const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  return text.replace(/[&<>"]/g, (character) => entities[character]).replace(/[\t\n\r]/g, " ");
}
