/** Draws at most once a frame of the screen, however often it is asked: what comes faster would only queue up. */
export function painter(draw: () => void): () => void {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      draw();
    });
  };
}
