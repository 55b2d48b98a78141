/**
 * Texts of URDF files that other readers take although they are not well-formed: XML declarations that are wrong or not at the start,
 * and prefixes that nothing declares. Neither means anything here, so they are mended, with a warning.
 */
import type { WarningList } from "../xml.ts";

const declaration =
  /^<\?xml\s+version\s*=\s*(?:"1\.\d+"|'1\.\d+')(?:\s+encoding\s*=\s*(?:"[\w.-]+"|'[\w.-]+'))?(?:\s+standalone\s*=\s*(?:"(?:yes|no)"|'(?:yes|no)'))?\s*\?>$/;
/** A declaration is not longer than this. */
const LONGEST = 500;

export function mendedXml(text: string, file: string, warnings: WarningList): string {
  return withPrefixes(withoutDeclarations(text, file, warnings), file, warnings);
}

/** Blanks take the place of what is no declaration where it stands; lines stay. */
function withoutDeclarations(text: string, file: string, warnings: WarningList): string {
  const start = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  let mended = "";
  let kept = 0;
  for (const at of tagsOf(text)) {
    if (!/^<\?xml[\s?]/.test(text.slice(at, at + 6))) continue;
    const end = text.indexOf("?>", at) + 2;
    if (end < 2 || end - at > LONGEST) break;
    const found = text.slice(at, end);
    if (at === start && declaration.test(found)) continue;
    const problem = at === start ? "is not well-formed" : "does not stand at the start of the file";
    warnings.add("ignored", placeOf(text, at, "?xml", file), `the XML declaration ${problem}; it is left out`);
    mended += text.slice(kept, at) + found.replace(/[^\n]/g, " ");
    kept = end;
  }
  return mended + text.slice(kept);
}

/** Declares prefixes of elements and attributes in the root element. */
function withPrefixes(text: string, file: string, warnings: WarningList): string {
  const used = new Map<string, number>();
  let root: { readonly start: number; readonly end: number; readonly declared: ReadonlySet<string> } | undefined;
  for (const at of tagsOf(text)) {
    if (!/[A-Za-z_/]/.test(text[at + 1] ?? "")) continue;
    const end = text.indexOf(">", at);
    if (end < 0) break;
    const tag = text.slice(at, end);
    root ??= { start: at, end, declared: declaredIn(tag) };
    for (const found of tag.matchAll(/^<\/?([A-Za-z_][\w.-]*):|[\s"']([A-Za-z_][\w.-]*):[\w.-]+\s*=\s*["']/g)) {
      const prefix = found[1] ?? found[2];
      const isKnown = prefix === "xmlns" || prefix === "xml" || root.declared.has(prefix);
      if (!isKnown && !used.has(prefix)) used.set(prefix, at);
    }
  }
  if (!root || used.size === 0) return text;
  const anywhere = declaredIn(text);
  for (const [prefix, at] of used) {
    if (anywhere.has(prefix)) continue;
    const place = placeOf(text, at, "robot", file);
    warnings.add("ignored", place, `nothing declares the prefix "${prefix}"; it is read as if <robot> did`);
  }
  const after = root.start + (/^<[^\s/>]+/.exec(text.slice(root.start, root.end))?.[0].length ?? 0);
  const added = [...used.keys()].map((prefix) => ` xmlns:${prefix}="undeclared:${prefix}"`).join("");
  return text.slice(0, after) + added + text.slice(after);
}

function declaredIn(text: string): Set<string> {
  return new Set(Array.from(text.matchAll(/xmlns:([\w.-]+)\s*=/g), ([, prefix]) => prefix));
}

/** Where tags, declarations and instructions begin, outside of comments and of character data. */
function* tagsOf(text: string): Generator<number> {
  for (let at = text.indexOf("<"); at >= 0; at = text.indexOf("<", at + 1)) {
    const closing = text.startsWith("<!--", at) ? "-->" : text.startsWith("<![CDATA[", at) ? "]]>" : undefined;
    if (closing === undefined) yield at;
    else at = text.indexOf(closing, at);
    if (at < 0) return;
  }
}

function placeOf(text: string, at: number, name: string, file: string) {
  const line = text.slice(0, at).split("\n").length;
  return { name, attributes: new Map<string, string>(), children: [], text: "", file, line, column: 1 };
}
