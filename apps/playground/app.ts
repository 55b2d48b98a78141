/** The playground: puts the parts together and keeps them in step with the engine. */
import { element } from "../replay/elements.ts";
import { initialTheme, type Theme } from "../replay/theme.ts";
import { Engine } from "./engine.ts";
import { decodeLink, encodeLink, isLoopback, type LinkScene, loopbackReach } from "./link.ts";
import type { ExportFormat, Frame, Request, SceneChoice, SceneInfo, Settings, Source } from "./protocol.ts";
import { RateMeter } from "./rateMeter.ts";
import { Stage } from "./stage/stage.ts";
import { createExportMenu, download } from "./ui/exportMenu.ts";
import { createFileDrop } from "./ui/fileDrop.ts";
import { createGradientPanel } from "./ui/gradientPanel.ts";
import { createHelp } from "./ui/help.ts";
import { createJointPanel } from "./ui/jointPanel.ts";
import { listenToKeys } from "./ui/keyboard.ts";
import { layOut } from "./ui/layout.ts";
import { createLivePlots } from "./ui/livePlots.ts";
import { createMessages, sentence } from "./ui/messages.ts";
import { createModelPicker } from "./ui/modelPicker.ts";
import { createPushPanel } from "./ui/pushPanel.ts";
import { createSettingsPanel } from "./ui/settingsPanel.ts";
import { createTransport } from "./ui/transport.ts";

const firstModel = "a1";
/** For who comes without a link. */
const greeting =
  "Drag the robot to pull it, and drag beside it to turn the view. The list of models is above; Help has the keys.";

interface OpenOptions {
  /** Default false, unless the reader asks for little motion. */
  readonly paused?: boolean;
  readonly keepErrors?: boolean;
}

export class Playground {
  readonly engine = new Engine();
  readonly stage: Stage;
  readonly rate = new RateMeter();
  info: SceneInfo | undefined;
  frame: Frame | undefined;

  private settings: Settings | undefined;
  /** From which the scene was made, if it was. */
  private files: Source | undefined;
  /** Scenes that are being opened: the address is that of the last one, which may be another entry of the history by now. */
  private opening = 0;
  /** Settings that the engine has not answered yet. */
  private asked: Partial<Settings> = {};
  private theme: Theme = initialTheme();
  private readonly messages = createMessages();
  private readonly help = createHelp();
  private readonly plots = createLivePlots();
  private readonly transport = createTransport({
    play: (playing) => this.play(playing),
    step: (steps) => this.tell({ kind: "step", steps }),
    reset: () => this.reset(),
    speed: (speed) => this.tell({ kind: "speed", speed }),
  });
  private readonly picker = createModelPicker((name) => {
    // keys then act on what was chosen, and not on the button that opened the list
    this.stage.focus();
    this.open({ source: { kind: "model", name } });
  });
  private readonly drop = createFileDrop(
    (files) => this.open({ source: { kind: "files", files } }),
    (message) => this.messages.error(message),
  );
  private readonly settingsPanel = createSettingsPanel({
    change: (settings) => this.change(settings),
    drive: (drive) => this.reopen({ drive }),
    start: (start) => this.reopen({ start }),
    collisions: (collisions) => this.reopen({ collisions }),
  });
  private readonly joints = createJointPanel({
    pose: (coordinate, value) => this.pose(coordinate, value),
    input: (index, value) => this.tell({ kind: "input", index, value }),
    hold: () => this.hold(),
  });
  private readonly pushes = createPushPanel({
    push: (push) => {
      this.tell({ kind: "push", push });
      if (!this.transport.playing) this.play(true);
    },
    choose: (body) => this.stage.choose(body),
  });
  private readonly gradients = createGradientPanel((arrows) => this.tell({ kind: "arrows", arrows }));
  private readonly exports = createExportMenu((format) => this.export(format));

  constructor(root: HTMLElement) {
    this.stage = new Stage({
      pick: (body) => {
        this.pushes.choose(body);
        this.stage.choose(body);
        if (!this.transport.playing) this.play(true);
      },
      pull: (pull) => this.quietly(this.engine.askLatest({ kind: "pull", pull })),
    });
    const button = (label: string, action: string, title: string, press: () => void): HTMLButtonElement => {
      const made = element("button", { type: "button", "data-action": action, title }, label);
      made.addEventListener("click", press);
      return made;
    };
    layOut(root, {
      stage: this.stage.root,
      transport: this.transport.root,
      messages: this.messages.root,
      plots: this.plots.root,
      tools: [
        this.picker.button,
        this.drop.button,
        button("Copy link", "link", "Copy a link to this scene (l)", () => this.copyLink()),
        this.exports.root,
        button("Help", "help", "Keys and mouse (? or F1)", () => this.help.toggle()),
      ],
      sections: [
        { title: "Simulation", open: true, content: this.settingsPanel.root },
        { title: "Push", open: true, content: this.pushes.root },
        { title: "Joints", open: false, content: this.joints.root },
        { title: "Gradient arrows", open: false, content: this.gradients.root },
      ],
      floating: [this.picker.dialog, this.help.dialog, this.drop.overlay],
    });
    this.setTheme(this.theme);
    this.listen();
  }

  /** What the address asks for, else the first model. */
  async start(): Promise<void> {
    const opened = await this.openLink(location.hash);
    // what is wrong with a link stays to be read
    if (opened) return;
    await this.open({ source: { kind: "model", name: firstModel } }, { keepErrors: true });
    this.messages.note(greeting);
  }

  /** Loads a scene. One that cannot be is refused with a message, and the present one stays. */
  async open(choice: SceneChoice, options: OpenOptions = {}): Promise<boolean> {
    const { paused = matchMedia("(prefers-reduced-motion: reduce)").matches, keepErrors = false } = options;
    try {
      const { info, frame } = await this.whileOpening(this.engine.ask({ kind: "load", choice }));
      if (!keepErrors) this.messages.clear();
      this.messages.clearNotes();
      this.info = info;
      this.files = choice.source.kind === "files" ? choice.source : undefined;
      this.frame = frame;
      this.settings = info.settings;
      this.stage.load(info, frame);
      this.picker.show(info.name);
      this.settingsPanel.load(info);
      this.pushes.load(info);
      this.joints.load(info);
      this.gradients.load(info);
      this.plots.clear();
      this.transport.show(frame);
      this.exports.showRecorded(frame.recorded);
      document.title = `${info.name} · dojo-sim playground`;
      if (info.notes.length > 0)
        this.messages.note(`${info.name} is loaded; something was left out or changed.`, info.notes);
      this.writeAddress(encodeLink(this.choice(), info.ownSettings).hash);
      if (!paused) this.play(true);
      return true;
    } catch (error) {
      const stays = this.info ? ` ${this.info.name} stays.` : "";
      this.messages.error(`${reasonOf(error)}${stays}`);
      return false;
    }
  }

  /** The scene of now, with another choice. */
  private reopen(choice: Pick<SceneChoice, "drive" | "start" | "collisions">): void {
    if (this.info) this.open({ ...this.choice(), source: this.files ?? this.info.source, ...choice });
  }

  private async openLink(hash: string): Promise<boolean> {
    let link: LinkScene;
    try {
      link = decodeLink(hash);
    } catch (error) {
      this.messages.error(`${reasonOf(error)}${this.info ? ` ${this.info.name} stays.` : ""}`);
      return false;
    }
    const { source, ...rest } = link;
    if (source === null) return false;
    if (source.kind !== "from") return this.open({ source, ...rest }, rest.state ? { paused: true } : {});
    try {
      const answer = await this.whileOpening(fetch(`./${source.file}`));
      if (!answer.ok) throw new RangeError(`the server answers ${answer.status}`);
      const bytes = new Uint8Array(await answer.arrayBuffer());
      return await this.open({ source: { kind: "files", files: [{ name: source.file, bytes }] }, ...rest });
    } catch (error) {
      this.messages.error(`${source.file} cannot be fetched: ${reasonOf(error)}`);
      return false;
    }
  }

  private listen(): void {
    this.engine.onFrame = (frame) => {
      this.frame = frame;
      this.rate.add(frame);
      this.stage.show(frame);
      this.transport.show(frame);
      this.plots.add(frame);
      this.gradients.show(frame);
    };
    this.engine.onStopped = (message) => this.messages.error(message);
    // numbers that change all the time are read a few times per second
    setInterval(() => {
      if (!this.frame) return;
      const { framesPerSecond: frames, quality } = this.stage.drawing;
      this.transport.showRate({ frames, quality: quality.name, realTime: this.rate.realTime });
      this.joints.show(this.frame);
      this.exports.showRecorded(this.frame.recorded);
    }, 200);
    window.addEventListener("hashchange", async () => {
      const opened = await this.openLink(location.hash);
      if (!opened && this.info) this.writeAddress(encodeLink(this.choice(), this.info.ownSettings).hash);
    });
    // a page that nobody sees does not work
    let resume = false;
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) {
        resume = this.transport.playing;
        if (resume) this.tell({ kind: "play", playing: false });
      } else if (resume) this.play(true);
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", ({ matches }) => {
      this.setTheme(matches ? "dark" : "light");
    });
    const by = ({ shiftKey }: KeyboardEvent): number => (shiftKey ? 10 : 1);
    const help = (): void => this.help.toggle();
    listenToKeys({
      " ": () => this.transport.toggle(),
      ArrowRight: (event) => this.tell({ kind: "step", steps: by(event) }),
      ArrowLeft: (event) => this.tell({ kind: "step", steps: -by(event) }),
      Backspace: () => this.reset(),
      "+": () => this.transport.changeSpeed(1),
      "=": () => this.transport.changeSpeed(1),
      "-": () => this.transport.changeSpeed(-1),
      p: () => this.pushes.push(),
      m: () => this.picker.button.click(),
      o: () => this.drop.button.click(),
      g: () => this.toggleArrows(),
      c: () => {
        this.stage.contactsVisible = !this.stage.contactsVisible;
      },
      f: () => {
        this.stage.follow = !this.stage.follow;
      },
      v: () => this.stage.resetCamera(),
      t: () => this.setTheme(this.theme === "dark" ? "light" : "dark"),
      l: () => this.copyLink(),
      "?": help,
      F1: help,
    });
  }

  private setTheme(theme: Theme): void {
    this.theme = theme;
    document.documentElement.dataset.theme = theme;
    this.stage.paint(theme);
    this.plots.paint();
  }

  /** On, with the panel that explains them in sight; off, where they were on. */
  private toggleArrows(): void {
    if (!this.gradients.toggle()) return;
    const section = this.gradients.root.closest("details");
    if (section) section.open = true;
    section?.scrollIntoView({ block: "nearest" });
  }

  private play(playing: boolean): void {
    this.rate.reset();
    this.tell({ kind: "play", playing });
    if (!playing) this.quietly(this.rememberState());
  }

  private async reset(): Promise<void> {
    this.plots.clear();
    this.messages.clear();
    await this.quietly(this.engine.ask({ kind: "reset" }).then((input) => this.joints.showInput(input)));
  }

  private async change(settings: Partial<Settings>): Promise<void> {
    // of requests that overtake each other the last is sent, so it has all that was asked
    this.asked = { ...this.asked, ...settings };
    try {
      const answer = await this.engine.askLatest({ kind: "settings", settings: this.asked });
      if (!answer) return;
      this.asked = {};
      this.settings = answer;
      this.messages.clear();
      if (this.info) this.writeAddress(encodeLink(this.choice(), this.info.ownSettings).hash);
    } catch (error) {
      this.asked = {};
      this.messages.error(reasonOf(error));
    }
    if (this.settings) this.settingsPanel.show(this.settings);
  }

  private async pose(coordinate: number, value: number): Promise<void> {
    await this.quietly(
      this.engine.askLatest({ kind: "pose", coordinate, value }).then((input) => input && this.joints.showInput(input)),
    );
  }

  private async hold(): Promise<void> {
    await this.quietly(this.engine.ask({ kind: "hold" }).then((input) => this.joints.showInput(input)));
  }

  private async copyLink(): Promise<void> {
    const leftOut = await this.quietly(this.rememberState());
    if (!leftOut) return;
    if (leftOut.includes("robot")) {
      this.messages.note("This robot is too large for a link; send its file instead.");
      return;
    }
    const what = leftOut.includes("state") ? "A link to the start of this scene" : "A link to this scene";
    const reach = isLoopback(location.hostname) ? ` ${loopbackReach}` : "";
    try {
      await navigator.clipboard.writeText(location.href);
      this.messages.note(`${what} was copied.${reach}`);
    } catch {
      this.messages.note(`${what} is in the address bar.${reach}`);
    }
  }

  /** Puts the present state into the address, as far as it goes in. */
  private async rememberState(): Promise<readonly ("state" | "robot")[]> {
    const { state, interval, input } = await this.engine.ask({ kind: "snapshot" });
    if (!this.info) return [];
    const { hash, leftOut } = encodeLink({ ...this.choice(), state, interval, input }, this.info.ownSettings);
    this.writeAddress(hash);
    return leftOut;
  }

  private choice(): SceneChoice {
    const { source, drive, start, collisions } = this.info as SceneInfo;
    return { source, drive, start, collisions: collisions ?? undefined, settings: this.settings };
  }

  private async whileOpening<T>(work: Promise<T>): Promise<T> {
    this.opening++;
    try {
      return await work;
    } finally {
      this.opening--;
    }
  }

  /** The address says what is shown, unless that is about to change. */
  private writeAddress(hash: string): void {
    if (this.opening === 0) history.replaceState(null, "", `#${hash}`);
  }

  private async export(format: ExportFormat): Promise<void> {
    const made = async (): Promise<void> => {
      const viewer = format === "html" ? await viewerScript() : "";
      const { name, parts, type } = await this.engine.ask({ kind: "export", format, viewer });
      download(name, parts, type);
    };
    await this.quietly(made());
  }

  /** A request whose answer nobody waits for. */
  private tell(request: Request): void {
    this.quietly(this.engine.ask(request));
  }

  private async quietly<T>(work: Promise<T>): Promise<T | undefined> {
    try {
      return await work;
    } catch (error) {
      this.messages.error(reasonOf(error));
      return undefined;
    }
  }
}

/** The script that shows a replay. It is fetched when first asked for, and whoever has served the page may be gone by then. */
async function viewerScript(): Promise<string> {
  const answer = await fetch("./replayViewer.js").catch(() => undefined);
  if (answer?.ok) return answer.text();
  const why = answer ? `the server answers ${answer.status}` : "the server does not answer";
  throw new Error(`a replay needs replayViewer.js, and ${why}; JSON and CSV files need nothing`);
}

function reasonOf(error: unknown): string {
  return sentence(error instanceof Error ? error.message : String(error));
}
