/** Pictures of mechanisms without a browser. */
export { type Camera, cameraOf, following } from "./camera.ts";
export { type Mark, type Picture, type PictureOptions, pictureOf } from "./picture.ts";
export { colorOf, type Scene, type ScenePart, sceneOf } from "./scene.ts";
