import { identityPose, type Pose } from "../pose.ts";
import { onlyChild, readRollPitchYaw, readVector3, type WarningList, type XmlElement } from "../xml.ts";

/** `<origin xyz rpy>` of an element; absent, the identity. */
export function readOrigin(parent: XmlElement, warnings: WarningList): Pose {
  const origin = onlyChild(parent, "origin", warnings);
  if (!origin) return identityPose;
  warnings.addUnknown(origin, { attributes: ["xyz", "rpy"] });
  return readPose(origin);
}

/** The attributes xyz and rpy of an element. */
export function readPose(element: XmlElement): Pose {
  return {
    position: readVector3(element, "xyz") ?? identityPose.position,
    orientation: readRollPitchYaw(element, "rpy") ?? identityPose.orientation,
  };
}
