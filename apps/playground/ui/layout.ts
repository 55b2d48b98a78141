/** The page: a bar above, the stage with its messages and transport, the plots below it, and a panel of sections beside. */
import { element } from "../../replay/elements.ts";

export interface Parts {
  readonly stage: HTMLElement;
  readonly transport: HTMLElement;
  readonly messages: HTMLElement;
  readonly plots: HTMLElement;
  readonly tools: readonly HTMLElement[];
  readonly sections: readonly { readonly title: string; readonly open: boolean; readonly content: HTMLElement }[];
  /** Dialogs and the like. */
  readonly floating: readonly HTMLElement[];
}

export function layOut(root: HTMLElement, parts: Parts): void {
  const pages = element(
    "nav",
    { "aria-label": "Other pages" },
    element("a", { href: "./lens.html" }, "Gradient lens"),
    element("a", { href: "./creep.html" }, "Creep test"),
    element("a", { href: "./balance.html" }, "Balance"),
    element("a", { href: "./policy.html" }, "Policies"),
    element("a", { href: "./identify.html" }, "Identification"),
  );
  const header = element(
    "header",
    { class: "bar" },
    element("h1", {}, "dojo-sim", element("span", { class: "subtitle" }, " playground")),
    element("div", { class: "tools" }, ...parts.tools),
    pages,
  );
  const sections = parts.sections.map(({ title, open, content }) =>
    element("details", { open, class: "section" }, element("summary", { class: "section-title" }, title), content),
  );
  const limits = element(
    "p",
    { class: "limits" },
    element("strong", {}, "Not yet: "),
    "meshes are drawn as their bounding boxes, or as their hulls where bodies touch one another.",
  );
  parts.stage.append(parts.messages, parts.transport);
  root.replaceChildren(
    header,
    element("main", {}, parts.stage, parts.plots),
    element("aside", { "aria-label": "Settings" }, ...sections, limits),
    ...parts.floating,
  );
}
