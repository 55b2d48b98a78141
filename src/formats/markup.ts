/** XML text from elements. Numbers are written so that they read back to the last bit. */

export type AttributeValue = string | number | boolean | readonly number[] | undefined;

export interface Markup {
  readonly name: string;
  readonly attributes: Readonly<Record<string, AttributeValue>>;
  /** Elements, or text. */
  readonly children: readonly (Markup | string)[];
}

/** Attributes and children that are undefined are left out. */
export function markup(
  name: string,
  attributes: Readonly<Record<string, AttributeValue>> = {},
  children: readonly (Markup | string | undefined)[] = [],
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
  const head = `${indent}<${name}${written}`;
  if (children.length === 0) return `${head}/>\n`;
  const [only] = children;
  if (children.length === 1 && typeof only === "string") return `${head}>${escaped(only)}</${name}>\n`;
  const inside = `${indent}  `;
  const inner = children.map((child) =>
    typeof child === "string" ? `${inside}${escaped(child)}\n` : writeMarkup(child, inside),
  );
  return `${head}>\n${inner.join("")}${indent}</${name}>\n`;
}

/** Adding 0 rids numbers of a negative zero. */
function shown(value: Exclude<AttributeValue, undefined>): string {
  return Array.isArray(value) ? value.map((entry) => entry + 0).join(" ") : String(value);
}

function escaped(text: string): string {
  const names: Readonly<Record<string, string>> = { "<": "&lt;", ">": "&gt;", "&": "&amp;", '"': "&quot;" };
  return text.replace(/[<>&"\n\t\r]/g, (character) => names[character] ?? `&#${character.charCodeAt(0)};`);
}
