/**
 * A scene as the part of an address after #, so that a link shows it again:
 *   #model=a1&drive=servo&start=rest&h=0.01&kappa=1e-4&friction=0.5&gravity=-9.81&tolerance=1e-8&state=…&input=…
 * What is the model's own is left out. Numbers of states and inputs are 64-bit floats, deflated, in base64 with - and _; a robot from a
 * file travels as its description in the same way (`robot=`). `from=` names a description on the page's own server.
 */
import type { MechanismDescription } from "dojo-sim";
import { deflateSync, inflateSync, strFromU8, strToU8 } from "fflate";
import type { Collisions, Drive, SceneChoice, Settings, Source } from "./protocol.ts";

/** Addresses longer than this are cut by chats and mail. */
const longest = 16_000;
/** Longest piece of a part that is taken apart. */
const longestPart = 200_000;

export type LinkScene = Omit<SceneChoice, "source"> & {
  readonly source: Source | { readonly kind: "from"; readonly file: string } | null;
};

const settingNames = {
  h: "timestep",
  kappa: "kappa",
  friction: "friction",
  restitution: "restitution",
  gravity: "gravity",
  tolerance: "tolerance",
} as const;

/** Whether an address leads only to the machine it is used on. */
export function isLoopback(host: string): boolean {
  return /^(localhost|.*\.localhost|127(\.\d+){3}|\[?::1\]?)$/.test(host);
}

/** What such a link can do elsewhere. */
export const loopbackReach =
  "It opens on this machine, while this page is served here; in a playground elsewhere, put all from # on behind its address.";

export interface Link {
  /** Without #. */
  readonly hash: string;
  /** What was too long to go in. */
  readonly leftOut: readonly ("state" | "robot")[];
}

/** `own` are the settings that need not be said. */
export function encodeLink(scene: SceneChoice, own: Settings): Link {
  const parts = new URLSearchParams();
  const leftOut: Link["leftOut"][number][] = [];
  const { source, drive, start, collisions, settings = {}, state, interval, input } = scene;
  if (source.kind === "model") parts.set("model", source.name);
  else if (source.kind === "description") {
    const robot = packedText(JSON.stringify({ name: source.name, description: source.description }));
    if (robot.length < longest) parts.set("robot", robot);
    else leftOut.push("robot");
  }
  if (drive) parts.set("drive", drive);
  if (start) parts.set("start", start);
  // limbs of models touch each other unless it is said; a description says it itself
  if (collisions === "floor" && source.kind === "model") parts.set("collisions", collisions);
  for (const [short, name] of Object.entries(settingNames)) {
    const value = settings[name];
    if (value !== undefined && value !== null && value !== own[name]) parts.set(short, String(value));
  }
  if (state && !leftOut.includes("robot")) {
    const packed = [packedNumbers(state), input ? packedNumbers(input) : ""];
    if (parts.toString().length + packed.join("").length < longest) {
      parts.set("state", packed[0]);
      if (interval !== undefined && interval !== (settings.timestep ?? own.timestep))
        parts.set("interval", String(interval));
      if (packed[1] !== "") parts.set("input", packed[1]);
    } else leftOut.push("state");
  }
  return { hash: parts.toString(), leftOut };
}

/** Throws a `RangeError` that says which part cannot be read. */
export function decodeLink(hash: string): LinkScene {
  const parts = new URLSearchParams(hash.replace(/^#/, ""));
  const settings: Record<string, number> = {};
  const number = (name: string): number | undefined => {
    const text = parts.get(name);
    if (text === null) return undefined;
    const value = text.trim() === "" ? Number.NaN : Number(text);
    if (!Number.isFinite(value)) throw new RangeError(`The link's ${name}=${text.slice(0, 40)} is no number.`);
    return value;
  };
  for (const [short, name] of Object.entries(settingNames)) {
    const value = number(short);
    if (value !== undefined) settings[name] = value;
  }
  const drive = parts.get("drive") ?? undefined;
  if (drive !== undefined && drive !== "motor" && drive !== "servo") {
    throw new RangeError(`The link's drive=${drive.slice(0, 40)} is neither motor nor servo.`);
  }
  const collisions = parts.get("collisions") ?? undefined;
  if (collisions !== undefined && collisions !== "floor" && collisions !== "shapes") {
    throw new RangeError(`The link's collisions=${collisions.slice(0, 40)} is neither floor nor shapes.`);
  }
  const read = <T>(name: string, unpack: (text: string) => T): T | undefined => {
    const text = parts.get(name);
    if (text === null) return undefined;
    try {
      if (text.length > longestPart) throw new RangeError("too long");
      return unpack(text);
    } catch {
      throw new RangeError(`The link's ${name} cannot be read; was the link cut?`);
    }
  };
  return {
    source: sourceOf(parts, read("robot", unpackedRobot)),
    drive: drive as Drive | undefined,
    start: parts.get("start") ?? undefined,
    collisions: collisions as Collisions | undefined,
    settings,
    state: read("state", unpackedNumbers),
    interval: number("interval"),
    input: read("input", unpackedNumbers),
  };
}

function sourceOf(
  parts: URLSearchParams,
  robot: { name: string; description: MechanismDescription } | undefined,
): LinkScene["source"] {
  if (robot) return { kind: "description", ...robot };
  const file = parts.get("from");
  if (file !== null) {
    // a file beside the page, and nothing else
    if (!/^[\w-]+\.json$/.test(file))
      throw new RangeError(`The link's from=${file.slice(0, 40)} names no file beside the page.`);
    return { kind: "from", file };
  }
  const model = parts.get("model");
  return model === null ? null : { kind: "model", name: model };
}

function unpackedRobot(text: string): { name: string; description: MechanismDescription } {
  const { name, description } = JSON.parse(strFromU8(inflateSync(fromBase64(text))));
  if (typeof name !== "string" || typeof description !== "object" || description === null)
    throw new RangeError("no robot");
  return { name, description };
}

function packedText(text: string): string {
  return toBase64(deflateSync(strToU8(text), { level: 9 }));
}

function packedNumbers(numbers: Float64Array): string {
  const view = new DataView(new ArrayBuffer(8 * numbers.length));
  numbers.forEach((number, i) => {
    view.setFloat64(8 * i, number, true);
  });
  return toBase64(deflateSync(new Uint8Array(view.buffer), { level: 9 }));
}

function unpackedNumbers(text: string): Float64Array {
  const bytes = inflateSync(fromBase64(text));
  if (bytes.length % 8 !== 0) throw new RangeError("no row of numbers");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Float64Array.from({ length: bytes.length / 8 }, (_, i) => view.getFloat64(8 * i, true));
}

function toBase64(bytes: Uint8Array): string {
  let characters = "";
  for (const byte of bytes) characters += String.fromCharCode(byte);
  return btoa(characters).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (character) => character.charCodeAt(0));
}
