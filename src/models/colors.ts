/** Colours of the models, so that a scene of several looks like one. */
export const colors = {
  black: "#2b2d31",
  dark: "#4a4f57",
  steel: "#9aa3ad",
  light: "#e6e6e1",
  white: "#f5f5f2",
  orange: "#e8761a",
  red: "#c8452f",
  blue: "#2f74b5",
  teal: "#2a9d8f",
  green: "#5a9a4a",
  sand: "#cc9966",
} as const;
