/** Colours of the page and of the scene, light and dark. */
export type Theme = "light" | "dark";

export interface SceneColors {
  readonly sky: string;
  readonly floor: string;
  readonly line: string;
  readonly contact: string;
  readonly force: string;
  /** Intensities of the lights. */
  readonly ambient: number;
  readonly sun: number;
}

export const sceneColors: Readonly<Record<Theme, SceneColors>> = {
  light: {
    sky: "#e9eef4",
    floor: "#dde4ec",
    line: "#b9c5d3",
    contact: "#d1495b",
    force: "#d1495b",
    ambient: 1.9,
    sun: 2.1,
  },
  dark: {
    sky: "#12161c",
    floor: "#1c232c",
    line: "#374351",
    contact: "#ff7b89",
    force: "#ff7b89",
    ambient: 1.4,
    sun: 2.6,
  },
};

/** As the page asks, else as the system does. */
export function initialTheme(): Theme {
  const asked = document.documentElement.dataset.theme;
  if (asked === "light" || asked === "dark") return asked;
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}
