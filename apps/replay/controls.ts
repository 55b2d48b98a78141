/** Buttons, the timeline and the keyboard. */
import { element } from "./elements.ts";
import type { Ghosts } from "./ghosts.ts";
import { type Playback, speeds } from "./playback.ts";
import type { View } from "./view.ts";

export interface ControlActions {
  /** Something about the picture changed. */
  redraw(): void;
  toggleTheme(): void;
}

export interface Controls {
  readonly root: HTMLElement;
  /** Shows time and state as they are now. */
  update(): void;
  dispose(): void;
}

export function createControls(playback: Playback, view: View, actions: ControlActions, ghosts?: Ghosts): Controls {
  const play = element("button", { type: "button", class: "play", "data-action": "play" });
  const timeline = element("input", {
    type: "range",
    class: "timeline",
    min: 0,
    max: playback.duration,
    step: playback.interval,
    "aria-label": "Time",
  });
  const clock = element("output", { class: "clock" });
  const speed = element("select", { "aria-label": "Speed", "data-action": "speed" });
  for (const factor of speeds) {
    speed.append(element("option", { value: factor, selected: factor === 1 }, `${factor}×`));
  }
  const toggles = [
    toggle(
      "Loop",
      "l",
      "Begin again at the end",
      () => playback.loop,
      (on) => {
        playback.loop = on;
      },
    ),
    toggle(
      "Contacts",
      "c",
      "Contact points and forces",
      () => view.contactsVisible,
      (on) => {
        view.contactsVisible = on;
      },
    ),
    toggle(
      "Follow",
      "f",
      "The camera goes with the bodies",
      () => view.follow,
      (on) => {
        view.follow = on;
      },
    ),
  ];
  const ghostToggle = ghosts
    ? [
        toggle(
          "Ghosts",
          "g",
          "Other motions, translucent: earlier iterations of a plan",
          () => ghosts.visible,
          (on) => {
            ghosts.visible = on;
          },
        ),
      ]
    : [];
  const back = button("‹", "step-back", "One step back (left arrow)", () => playback.step(-1));
  const forth = button("›", "step-forth", "One step forward (right arrow)", () => playback.step(1));
  const reset = button("Reset view", "reset", "The camera as at first (r)", () => {
    view.reset(playback.time);
    actions.redraw();
  });
  const theme = button("Light/dark", "theme", "Light or dark colours (t)", () => actions.toggleTheme());

  play.addEventListener("click", () => playback.toggle());
  timeline.addEventListener("input", () => playback.seek(timeline.valueAsNumber));
  speed.addEventListener("change", () => {
    playback.speed = Number(speed.value);
  });

  const keys = keyboard(playback, {
    ...{ f: toggles[2], c: toggles[1], l: toggles[0], r: reset, t: theme },
    ...(ghostToggle[0] && { g: ghostToggle[0] }),
  });
  const update = (): void => {
    play.textContent = playback.playing ? "❚❚" : "►";
    play.setAttribute("aria-label", playback.playing ? "Pause" : "Play");
    play.title = `${playback.playing ? "Pause" : "Play"} (space)`;
    timeline.value = String(playback.time);
    const share = playback.duration > 0 ? playback.time / playback.duration : 0;
    timeline.style.setProperty("--share", `${(100 * share).toFixed(2)}%`);
    const now = `${playback.time.toFixed(2)} s`;
    timeline.setAttribute("aria-valuetext", now);
    clock.textContent = `${now} / ${playback.duration.toFixed(2)} s`;
  };
  const root = element(
    "div",
    { class: "controls" },
    element("div", { class: "transport" }, back, play, forth, timeline, clock),
    element(
      "div",
      { class: "options" },
      element("label", {}, "Speed ", speed),
      ...toggles,
      ...ghostToggle,
      reset,
      theme,
    ),
  );
  update();
  return { root, update, dispose: keys };

  function button(label: string, action: string, title: string, press: () => void): HTMLButtonElement {
    const made = element("button", { type: "button", title, "aria-label": title, "data-action": action }, label);
    made.addEventListener("click", press);
    return made;
  }

  function toggle(
    label: string,
    key: string,
    title: string,
    get: () => boolean,
    set: (on: boolean) => void,
  ): HTMLButtonElement {
    const attributes = { type: "button", title: `${title} (${key})`, "data-action": label.toLowerCase() };
    const made = element("button", attributes, label);
    const show = (): void => made.setAttribute("aria-pressed", String(get()));
    made.addEventListener("click", () => {
      set(!get());
      show();
      actions.redraw();
    });
    show();
    return made;
  }
}

/** Keys for the whole page; returns what takes them away again. */
function keyboard(playback: Playback, letters: Readonly<Record<string, HTMLElement>>): () => void {
  const listen = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target instanceof HTMLElement ? event.target : document.body;
    // a list keeps its own keys
    if (target.matches("select, textarea, input:not([type=range])")) return;
    const press = (act: () => void): void => {
      event.preventDefault();
      act();
    };
    const jump = event.shiftKey ? 10 : 1;
    // a button reached by keyboard is pressed by space; one that was clicked leaves space to play and pause
    if (event.key === " ") {
      if (!target.matches("button:focus-visible, a:focus-visible")) press(() => playback.toggle());
    } else if (event.key === "ArrowRight") press(() => playback.step(jump));
    else if (event.key === "ArrowLeft") press(() => playback.step(-jump));
    else if (event.key === "Home") press(() => playback.seek(0));
    else if (event.key === "End") press(() => playback.seek(playback.duration));
    else letters[event.key.toLowerCase()]?.click();
  };
  window.addEventListener("keydown", listen);
  return () => window.removeEventListener("keydown", listen);
}
