/** No memory for what a step needs: a step that meets it ends with the status `outOfMemory`. */
export class OutOfMemory extends RangeError {
  constructor(message: string) {
    super(message);
    this.name = "OutOfMemory";
  }
}
