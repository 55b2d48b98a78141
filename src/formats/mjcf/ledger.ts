/** Warnings of an import: nothing that a file asks for is left out without an entry here. */
import { WarningList, type XmlElement } from "../xml.ts";

export class Ledger extends WarningList {
  /** Every attribute that is not in `used`. */
  addAttributes(element: XmlElement, used: readonly string[]): void {
    for (const name of element.attributes.keys()) {
      // those with a slash are ours
      if (used.includes(name) || alwaysFine.has(name) || name.startsWith("/")) continue;
      const reason = withoutEffect.get(name);
      if (reason !== undefined) this.add("ignored", element, `${name}: ${reason}`);
      else this.add("unknown", element, `attribute ${name} is not understood and has no effect`);
    }
  }
}

const alwaysFine = new Set(["name", "class", "childclass", "user"]);

const soft = "constraints and contacts are hard here";
const looks = "looks only";

/** Attributes of MJCF that mean nothing here, and why. */
const withoutEffect: ReadonlyMap<string, string> = new Map([
  ...["solref", "solimp", "solmix", "solreffriction", "solreflimit", "solimplimit", "solreffix", "solimpfix"].map(
    (name) => [name, soft] as const,
  ),
  ...["solreffriction", "solimpfriction", "solrefdeform", "solimpdeform", "margin", "gap", "torquescale"].map(
    (name) => [name, soft] as const,
  ),
  ...["group", "texture", "texturedir", "width", "normal", "texcoord"].map((name) => [name, looks] as const),
  ...["discardvisual", "usethread", "fusestatic"].map((name) => [name, "bodies stay as the file has them"] as const),
  ["material", looks],
  ["rgba", looks],
  ["convexhull", "meshes touch with some of their vertices"],
  ["plugin", "plugins are not simulated"],
  ["saveinertial", "files are not written"],
  ["priority", soft],
  ["sleep", "nothing sleeps here"],
  ["conflict", "later names win"],
  ["mocap", "a motion-capture body stays where it is"],
  ["actuatorgravcomp", "compensated gravity is not part of the actuator force here"],
  ["fluidcoef", "every body drags as its box of inertia"],
  ["actuatorfrclimited", "follows from actuatorfrcrange"],
  ["ctrllimited", "follows from ctrlrange"],
  ["forcelimited", "follows from forcerange"],
  ["actlimited", "actuators have no activation here"],
  ["actrange", "actuators have no activation here"],
  ["actdim", "actuators have no activation here"],
  ["actearly", "actuators have no activation here"],
  ["dynprm", "actuators have no activation here"],
  ["lengthrange", "actuators have no activation here"],
  ["cranklength", "slider-cranks are not simulated"],
  ["fluidshape", "every body drags as its box of inertia"],
  ["nsample", "delays are not simulated"],
  ["delay", "delays are not simulated"],
  ["act", "actuators have no activation here"],
  ["mpos", "motion-capture bodies stay where they are"],
  ["mquat", "motion-capture bodies stay where they are"],
  ["time", "states have no time"],
]);
