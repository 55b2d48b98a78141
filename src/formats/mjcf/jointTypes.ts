/** The types of joints, with how many numbers they have in qpos and qvel. */
import { readChoice } from "../xml.ts";

export const jointSizes = { free: [7, 6], ball: [4, 3], hinge: [1, 1], slide: [1, 1] } as const;
export type MjJointType = keyof typeof jointSizes;
export const readJointType = readChoice<MjJointType>(["free", "ball", "slide", "hinge"]);
