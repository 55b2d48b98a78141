/** Puts a replay into a page: summary, view, controls, plots. The HTML files and the playground both use it. */
import type { ReplayData } from "dojo-sim";
import { createControls } from "./controls.ts";
import { element } from "./elements.ts";
import { Frames } from "./frames.ts";
import { Ghosts } from "./ghosts.ts";
import { Playback } from "./playback.ts";
import { createPlot } from "./plots.ts";
import { style } from "./style.ts";
import { createSummary } from "./summary.ts";
import { initialTheme, type Theme } from "./theme.ts";
import { describeScene, View } from "./view.ts";

export interface MountedReplay {
  readonly playback: Playback;
  readonly view: View;
  setTheme(theme: Theme): void;
  /** Draws at once, and returns the picture as a data URL. */
  picture(): string;
  dispose(): void;
}

export interface MountOptions {
  /** Default true, unless the reader's system asks for little motion. */
  readonly autoplay?: boolean;
}

export function mountReplay(root: HTMLElement, data: ReplayData, options: MountOptions = {}): MountedReplay {
  const { autoplay = !matchMedia("(prefers-reduced-motion: reduce)").matches } = options;
  const frames = new Frames(data);
  const playback = new Playback(frames.duration, data.interval);
  const view = new View(frames);
  const ghosts = new Ghosts(frames);
  view.scene.add(ghosts.group);
  view.canvas.setAttribute("role", "img");
  view.canvas.setAttribute("aria-label", describeScene(data));

  // the picture is drawn once a screen refresh, and only when something changed
  let theme = initialTheme();
  let stale = true;
  const redraw = (): void => {
    stale = true;
  };
  const setTheme = (next: Theme): void => {
    theme = next;
    document.documentElement.dataset.theme = next;
    view.paint(next);
    redraw();
  };
  const toggleTheme = (): void => setTheme(theme === "dark" ? "light" : "dark");
  const controls = createControls(
    playback,
    view,
    { redraw, toggleTheme },
    frames.ghosts.length > 0 ? ghosts : undefined,
  );
  const plots = data.plots.map((plot) =>
    createPlot(plot, data.interval, frames.duration, (time) => playback.seek(time)),
  );
  playback.onChange(redraw);
  view.onCamera = redraw;

  const stage = element("div", { class: "stage" }, view.canvas);
  root.append(
    element("style", {}, style),
    createSummary(data),
    stage,
    controls.root,
    element(
      "section",
      { class: "plots", "aria-label": "Plots", style: `--columns: ${columnsFor(plots.length)}` },
      ...plots.map((plot) => plot.root),
    ),
    hint(frames.ghosts.length > 0),
  );
  setTheme(theme);

  let measured = false;
  const resize = (): void => {
    view.resize(stage.clientWidth, stage.clientHeight);
    // the first size decides how far away the camera stands
    if (!measured) view.reset(playback.time);
    measured = true;
    draw();
  };
  const draw = (): void => {
    stale = false;
    ghosts.update(playback.time);
    view.draw(playback.time);
    controls.update();
    for (const plot of plots) plot.showTime(playback.time);
  };
  const observer = new ResizeObserver(resize);
  observer.observe(stage);
  resize();

  let before = performance.now();
  let request = 0;
  const tick = (now: number): void => {
    // a page that was hidden does not jump ahead
    playback.advance(Math.min(0.25, Math.max(0, (now - before) / 1000)));
    before = now;
    if (stale) draw();
    request = requestAnimationFrame(tick);
  };
  request = requestAnimationFrame(tick);
  if (autoplay) playback.play();

  return {
    playback,
    view,
    setTheme,
    picture: () => {
      draw();
      return view.canvas.toDataURL("image/png");
    },
    dispose: () => {
      cancelAnimationFrame(request);
      observer.disconnect();
      controls.dispose();
      view.dispose();
      root.replaceChildren();
    },
  };
}

/** On wide screens: one row of up to four, else rows of three. */
function columnsFor(plots: number): number {
  return plots <= 4 ? Math.max(2, plots) : 3;
}

function hint(hasGhosts: boolean): HTMLElement {
  const key = (name: string): HTMLElement => element("kbd", {}, name);
  return element(
    "p",
    { class: "hint" },
    ...[key("space"), " play or pause · ", key("←"), " ", key("→"), " one step, ten with ", key("shift"), " · "],
    ...[key("home"), " ", key("end"), " · ", key("c"), " contacts · ", key("f"), " follow · ", key("l"), " loop · "],
    ...(hasGhosts ? [key("g"), " ghosts · "] : []),
    ...[key("r"), " reset view · ", key("t"), " light or dark · drag to turn, right drag to shift, scroll to zoom"],
  );
}
