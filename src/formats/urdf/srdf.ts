/**
 * SRDF, the semantic file beside a URDF file: which links need no collision checks.
 *   <disable_collisions link1 link2 reason>       these two
 *   <disable_default_collisions link>             this one with every other,
 *   <enable_collisions link1 link2>               unless these two are enabled again
 * Groups, states and the rest are for planners.
 */
import { NamePairs } from "../excludedPairs.ts";
import {
  childrenNamed,
  elementError,
  parseXml,
  readName,
  required,
  type WarningList,
  type XmlElement,
} from "../xml.ts";

export interface DisabledPairs {
  isDisabled(link1: string, link2: string): boolean;
}

const forPlanners = [
  ...["group", "group_state", "end_effector", "virtual_joint", "passive_joint", "chain", "joint_property"],
  ...["link_sphere_approximation", "link"],
];

export function readSrdf(
  text: string,
  fileName: string,
  links: ReadonlyMap<string, unknown>,
  warnings: WarningList,
): DisabledPairs {
  const root = parseXml(text, fileName);
  if (root.name !== "robot") throw elementError(root, "the root element of SRDF is <robot>; is this an SRDF file?");
  if (childrenNamed(root, "joint").length > 0)
    throw elementError(root, "has joints: this is a URDF file, no SRDF file");
  const ofPairs = ["disable_collisions", "disable_default_collisions", "enable_collisions"];
  warnings.addUnknown(root, {
    attributes: ["name", "version"],
    children: [...ofPairs, ...forPlanners],
  });
  const linkOf = (element: XmlElement, attribute: string): string => {
    const name = required(readName, element, attribute);
    if (!links.has(name)) warnings.add("ignored", element, `"${name}" is no link of the robot`);
    return name;
  };
  const pairs = new NamePairs();
  const alone = new Set(childrenNamed(root, "disable_default_collisions").map((element) => linkOf(element, "link")));
  for (const element of childrenNamed(root, "disable_collisions")) {
    warnings.addUnknown(element, { attributes: ["link1", "link2", "reason"] });
    pairs.add(linkOf(element, "link1"), linkOf(element, "link2"));
  }
  const enabled = new NamePairs();
  for (const element of childrenNamed(root, "enable_collisions")) {
    enabled.add(linkOf(element, "link1"), linkOf(element, "link2"));
  }
  return {
    isDisabled: (a, b) => !enabled.has(a, b) && (pairs.has(a, b) || alone.has(a) || alone.has(b)),
  };
}
