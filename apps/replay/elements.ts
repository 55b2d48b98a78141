/** Elements with attributes and children. Text is always text, never markup. */
type Attributes = Readonly<Record<string, string | number | boolean>>;

function apply<T extends Element>(target: T, attributes: Attributes): T {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false) continue;
    target.setAttribute(name, value === true ? "" : String(value));
  }
  return target;
}

export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = apply(document.createElement(tag), attributes);
  made.append(...children);
  return made;
}

const namespace = "http://www.w3.org/2000/svg";

export function svgElement(tag: string, attributes: Attributes = {}): SVGElement {
  return apply(document.createElementNS(namespace, tag) as SVGElement, attributes);
}
