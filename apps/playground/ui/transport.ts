/** Play, pause, steps, reset, speed, and what time it is. */
import { element } from "../../replay/elements.ts";
import type { Frame } from "../protocol.ts";

export const speeds = [0.05, 0.1, 0.25, 0.5, 1, 2, 4] as const;

export interface TransportActions {
  play(playing: boolean): void;
  step(steps: number): void;
  reset(): void;
  speed(speed: number): void;
}

export interface Transport {
  readonly root: HTMLElement;
  readonly playing: boolean;
  toggle(): void;
  /** −1 slower, 1 faster. */
  changeSpeed(by: -1 | 1): void;
  show(frame: Frame): void;
  /** Pictures a second and how finely they are drawn, and simulated seconds per second. */
  showRate(rate: { readonly frames: number; readonly quality: string; readonly realTime: number }): void;
}

export function createTransport(actions: TransportActions): Transport {
  const button = (label: string, action: string, title: string, press: () => void, kind = ""): HTMLButtonElement => {
    const made = element(
      "button",
      { type: "button", title, "aria-label": title, "data-action": action, class: kind },
      label,
    );
    made.addEventListener("click", press);
    return made;
  };
  let playing = false;
  const play = button("►", "play", "Play (space)", () => actions.play(!playing), "play");
  const speed = element("select", { "aria-label": "Speed", "data-action": "speed", title: "Speed (− and +)" });
  for (const factor of speeds) speed.append(element("option", { value: factor, selected: factor === 1 }, `${factor}×`));
  const setSpeed = (): void => actions.speed(Number(speed.value));
  speed.addEventListener("change", setSpeed);
  const clock = element("output", { class: "clock", "aria-label": "Simulated time" }, "0.00 s");
  const rate = element("output", { class: "rate", "aria-label": "Rate" });
  const root = element(
    "div",
    { class: "transport", role: "toolbar", "aria-label": "Time" },
    button("⟲", "reset", "Reset (backspace)", () => actions.reset()),
    button("‹", "step-back", "One step back (left arrow)", () => actions.step(-1)),
    play,
    button("›", "step-forth", "One step forward (right arrow)", () => actions.step(1)),
    speed,
    clock,
    rate,
  );
  return {
    root,
    get playing() {
      return playing;
    },
    toggle: () => actions.play(!playing),
    changeSpeed: (by) => {
      const next = Math.max(0, Math.min(speeds.length - 1, speed.selectedIndex + by));
      if (next === speed.selectedIndex) return;
      speed.selectedIndex = next;
      setSpeed();
    },
    show: (frame) => {
      clock.textContent = `${frame.time.toFixed(2)} s`;
      if (frame.playing === playing) return;
      playing = frame.playing;
      const word = playing ? "Pause" : "Play";
      play.textContent = playing ? "❚❚" : "►";
      play.title = `${word} (space)`;
      play.setAttribute("aria-label", play.title);
      if (!playing) rate.textContent = "";
    },
    showRate: ({ frames, quality, realTime }) => {
      rate.textContent = playing
        ? `${frames.toFixed(frames < 10 ? 1 : 0)} frames/s, ${realTime.toFixed(2)}× real time`
        : "";
      rate.title = quality === "fine" ? "" : `Drawn ${quality}, to keep up with this graphics card`;
    },
  };
}
