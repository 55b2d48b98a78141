/** dojo view: the playground, served on this machine, with a model or a robot file in it. */
import { spawn } from "node:child_process";
import type { Command } from "commander";
import { modelNames, sceneNames, toJson } from "../../index.ts";
import { InputError } from "../inputError.ts";
import { loadModel } from "../loadModel.ts";
import { servePages } from "../pageServer.ts";
import { oneOf } from "../parse.ts";
import { playgroundFolder } from "../playgroundFolder.ts";
import { paint, print, warn } from "../terminal.ts";

const examples = `
Examples:
  dojo view
  dojo view atlas
  dojo view a1 --no-self-collisions
  dojo view robot.urdf --collisions shapes --no-open --port 8080

The page runs the engine itself and sends nothing anywhere. Ctrl-C ends the server.`;

interface Flags {
  readonly selfCollisions?: boolean;
  readonly collisions?: string;
  readonly srdf?: string;
  readonly port?: string;
  readonly host: string;
  readonly open: boolean;
  readonly untilInputEnds?: boolean;
}

/** Where to begin when no port is asked for, and how many after it are tried. */
const usualPort = 4711;
const morePorts = 50;
/** The name under which a robot file's description is served. */
const robotFile = "robot.json";

export function addView(program: Command): void {
  program
    .command("view")
    .summary("opens the playground in a browser")
    .description("Serves the playground on this machine and opens it: push a robot, change the physics, see the plots.")
    .argument("[model]", "a model's name, or a .urdf, .xml or .json file")
    .option("--self-collisions", "robots of the library: limbs touch each other, as is usual in the page")
    .option("--no-self-collisions", "robots of the library: limbs pass through each other")
    .option("--collisions <what>", "robot files: floor, or shapes that touch each other")
    .option("--srdf <file>", "URDF files with --collisions shapes: pairs of links that do not touch")
    .option("--port <number>", `default: ${usualPort}, or the next that is free`)
    .option("--host <address>", "where to listen; others may then see the page", "127.0.0.1")
    .option("--no-open", "print the address only")
    .option("--until-input-ends", "end with standard input too, for programs that start it")
    .addHelpText("after", examples)
    .action(view);
}

async function view(model: string | undefined, flags: Flags): Promise<void> {
  // an empty one would mean every address of this machine
  if (flags.host.trim() === "") throw new InputError("--host is empty; leave it out for 127.0.0.1");
  const port = flags.port === undefined ? usualPort : portOf(flags.port);
  const { hash, texts } = sceneOf(model, flags);
  const folder = playgroundFolder();
  const ended = flags.untilInputEnds ? Promise.race([interruption(), inputEnd()]) : interruption();
  const server = await servePages({
    folder,
    host: flags.host,
    port,
    texts,
    morePorts: flags.port === undefined ? morePorts : 0,
  });
  const address = `${server.address}${hash}`;
  print(`the playground is at ${paint("bold", address)}`);
  print(paint("dim", "Ctrl-C ends it"));
  if (flags.open && process.stdout.isTTY) openBrowser(address);
  await ended;
  await server.close();
}

function portOf(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65535) return port;
  throw new InputError(`--port: "${text}" is no port; give a number up to 65535, 0 for any that is free`);
}

/** A model or scene of the library goes by its name; a file is read here, with its meshes, and its description served. */
function sceneOf(what: string | undefined, flags: Flags): { hash: string; texts: Record<string, string> } {
  const { selfCollisions, srdf } = flags;
  const collisions =
    flags.collisions === undefined ? undefined : oneOf("--collisions", flags.collisions, ["floor", "shapes"]);
  if (what === undefined) {
    const own = selfCollisions ? "self-collisions" : "no-self-collisions";
    const given = selfCollisions !== undefined ? own : collisions ? "collisions" : srdf ? "srdf" : undefined;
    if (given) throw new InputError(`--${given} says what a model touches; name one`);
    return { hash: "", texts: {} };
  }
  const { name, description, warnings } = loadModel(what, { selfCollisions, collisions, srdf });
  for (const { message } of warnings.slice(0, 8)) warn(message);
  const isModel = !/[\\/.]/.test(what) && [...modelNames, ...sceneNames].some((known) => known === name);
  if (isModel) return { hash: `#model=${name}${selfCollisions === false ? "&collisions=floor" : ""}`, texts: {} };
  return { hash: `#from=${robotFile}`, texts: { [robotFile]: toJson({ ...description, name }) } };
}

function openBrowser(address: string): void {
  const [command, ...args] =
    process.platform === "darwin"
      ? ["open", address]
      : process.platform === "win32"
        ? ["cmd", "/c", "start", "", address]
        : ["xdg-open", address];
  const child = spawn(command, args, { stdio: "ignore", detached: true });
  child.on("error", () => warn("no browser could be opened; open the address yourself"));
  child.unref();
}

function inputEnd(): Promise<void> {
  return new Promise((done) => {
    process.stdin.once("close", () => done());
    process.stdin.resume();
  });
}

/** Resolves with the first Ctrl-C. */
function interruption(): Promise<void> {
  return new Promise((done) => {
    process.once("SIGINT", () => done());
    process.once("SIGTERM", () => done());
  });
}
