/** Keys for the whole page, as in MuJoCo's viewer where it has them. */

export function listenToKeys(keys: Readonly<Record<string, (event: KeyboardEvent) => void>>): void {
  window.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const target = event.target instanceof HTMLElement ? event.target : document.body;
    // lists, fields and open dialogs keep their own keys
    if (target.matches("select, textarea, input:not([type=range], [type=checkbox], [type=radio])")) return;
    if (document.querySelector("dialog[open]") && event.key !== "F1") return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const arrow = key.startsWith("Arrow");
    if (arrow && target.matches("input")) return;
    // space presses what was reached by keyboard; what was clicked leaves it to play and pause
    if (key === " " && target.matches("button:focus-visible, summary, input, a:focus-visible")) return;
    const action = Object.hasOwn(keys, key) ? keys[key] : undefined;
    if (!action) return;
    event.preventDefault();
    action(event);
  });
}
