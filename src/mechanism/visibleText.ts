/**
 * Names and texts of files end up in messages, and messages in terminals and logs. There a control character would act: clear the
 * screen, set a title, begin a line of its own, turn the direction of writing. It is shown by its code instead.
 */

/** Control characters, line and paragraph separators, and those that change the direction of writing. */
const acting = /[\p{Cc}\u2028\u2029\p{Bidi_Control}]/gu;

/** One line of text without characters that act: \n, \t, or \u001b in their place. */
export function visibleText(text: string): string {
  return text.replace(acting, (character) => {
    if (character === "\n") return "\\n";
    if (character === "\t") return "\\t";
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}
