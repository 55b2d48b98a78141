/** The top of a page: its name, the way to the other pages, light or dark; and a sentence on what there is to see and do. */
import { element } from "../../replay/elements.ts";
import { initialTheme } from "../../replay/theme.ts";

const pages = [
  { address: "./index.html", name: "Playground" },
  { address: "./lens.html", name: "Gradient lens" },
  { address: "./creep.html", name: "Creep test" },
  { address: "./balance.html", name: "Balance" },
  { address: "./policy.html", name: "Policies" },
  { address: "./identify.html", name: "Identification" },
] as const;

export function createHeader(title: (typeof pages)[number]["name"]): HTMLElement {
  const root = document.documentElement;
  root.dataset.theme = initialTheme();
  const theme = element("button", { type: "button", "data-action": "theme" }, "Light/dark");
  theme.addEventListener("click", () => {
    root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
  });
  const others = pages.filter(({ name }) => name !== title);
  const links = others.map(({ address, name }) => element("a", { href: address }, name));
  return element(
    "header",
    { class: "bar" },
    element("h1", {}, "dojo-sim", element("span", {}, ` ${title.toLowerCase()}`)),
    element("nav", { "aria-label": "Other pages" }, ...links),
    theme,
  );
}

/** The first thing that a page says: what it shows, and what the reader can do. */
export function createLead(words: string): HTMLElement {
  return element("p", { class: "lead" }, words);
}
