// What an assistant wrote, as elements: emphasis, lists, and links to the business's own website. Everything else stays
// the text that it is. Nothing is ever read as HTML: elements are made one by one, their texts are text nodes.

const ITEM = /^[ \t]*(?:[-*+•]|(\d{1,3})[.)])[ \t]+(.*)$/;
const RULE = /^[ \t]*(?:-[ \t]*){3,}$|^[ \t]*(?:\*[ \t]*){3,}$/;
const ADDRESS = /^https?:\/\/[^\s<>"']+/i;
const TRAILING = /[.,;:!?)\]}…*_]+$/u;
const LABELLED = /^\[([^[\]\n]{1,200})\]\(([^\s()]{1,1000})\)/;
// While an answer is streamed: a label whose address is still coming.
const UNFINISHED = /^\[([^[\]\n]{0,200})(?:\]\(?[^\s()]{0,1000})?$/;
const DEEPEST = 3;
const isLetter = (character) => character !== undefined && /[\p{L}\p{N}_]/u.test(character);
const isBlank = (character) => character === undefined || /\s/.test(character);

// Tells whether an address leads to one of a business's own sites, `{host, path}`: there or below it.
export function isOwn(address, sites) {
  if (!URL.canParse(address)) return false;
  const { protocol, username, password, host, pathname } = new URL(address);
  if (!["https:", "http:"].includes(protocol) || username || password) return false;
  const bare = host.replace(/^www\./, "");
  return sites.some((site) => {
    if (site.path === "/") return bare === site.host || bare.endsWith(`.${site.host}`);
    const isBelow = pathname === site.path || pathname.startsWith(site.path.endsWith("/") ? site.path : `${site.path}/`);
    return bare === site.host && isBelow && !/%2e|%2f|%5c/i.test(pathname);
  });
}

// Returns nodes. `isWhole` is false while more of the text is still to come: a mark at its end may be half of one.
export function rendered(text, sites, isWhole = true) {
  return new Writer(sites, isWhole).blocks(text);
}

// What is read aloud by a screen reader: the same without the marks.
export function plainly(text, sites) {
  return rendered(text, sites).map((node) => node.textContent).join(" ").replace(/\s+/g, " ").trim();
}

class Writer {
  constructor(sites, isWhole) {
    this.sites = sites;
    this.isWhole = isWhole;
  }

  blocks(text) {
    const nodes = [];
    let list = null;
    let lines = [];
    const flush = (isLast) => {
      const paragraph = lines.join("\n").replace(/^\n+|\n+$/g, "");
      if (paragraph.trim()) nodes.push(...this.inline(paragraph, isLast));
      lines = [];
    };
    const all = text.split("\n");
    for (const [number, line] of all.entries()) {
      const isLast = number === all.length - 1;
      const item = RULE.test(line) ? null : ITEM.exec(line);
      if (item) {
        flush(false);
        const kind = item[1] === undefined ? "UL" : "OL";
        if (list?.tagName !== kind) {
          list = document.createElement(kind);
          if (kind === "OL" && item[1] !== "1") list.start = Number(item[1]);
          nodes.push(list);
        }
        const made = document.createElement("li");
        made.append(...this.inline(item[2], isLast));
        list.append(made);
      } else if (list && !line.trim()) {
        // Blank lines between items do not end a list.
        continue;
      } else {
        list = null;
        // The first mark of an item that is still to come.
        if (isLast && !this.isWhole && /^[ \t]*(?:[-*+•]|\d{1,3}[.)]?)[ \t]*$/.test(line)) continue;
        lines.push(line);
      }
      if (isLast) flush(true);
    }
    flush(true);
    return nodes;
  }

  // `isEnd` tells whether the text ends where everything does, so far.
  inline(text, isEnd, depth = 0) {
    const nodes = [];
    const missing = new Set();
    let plain = "";
    const put = (node) => {
      if (plain) nodes.push(document.createTextNode(plain));
      plain = "";
      nodes.push(node);
    };
    const mayGrow = isEnd && !this.isWhole;
    for (let at = 0; at < text.length; ) {
      const character = text[at];
      if (character === "\\" && /[\\*_[\]()]/.test(text[at + 1] ?? "")) {
        plain += text[at + 1];
        at += 2;
        continue;
      }
      const found =
        character === "*" || character === "_" ? this.emphasis(text, at, missing, mayGrow, depth)
        : character === "[" ? this.labelled(text.slice(at, at + 1300), mayGrow && text.length - at < 1300)
        : (character === "h" || character === "H") && !isLetter(text[at - 1]) ? this.address(text, at)
        : null;
      if (!found) {
        plain += character;
        at += 1;
      } else {
        if (found.node) put(found.node);
        plain += found.text ?? "";
        at += found.length;
      }
    }
    if (plain) nodes.push(document.createTextNode(plain));
    return nodes;
  }

  emphasis(text, at, missing, mayGrow, depth) {
    const character = text[at];
    let width = 1;
    while (text[at + width] === character) width += 1;
    const mark = character.repeat(Math.min(width, 2));
    const inner = at + mark.length;
    // Within a word, as in a file's name, an underscore is one; before a blank nothing is emphasised.
    const isMark = width <= 2 && !(character === "_" && isLetter(text[at - 1])) && depth < DEEPEST;
    if (isMark && inner === text.length && mayGrow) return { length: mark.length };
    if (!isMark || isBlank(text[inner])) return { text: text.slice(at, at + width), length: width };
    if (!missing.has(mark)) {
      const end = closing(text, inner, mark);
      if (end > 0) {
        const node = document.createElement(mark.length === 2 ? "strong" : "em");
        node.append(...this.inline(text.slice(inner, end), false, depth + 1));
        return { node, length: end + mark.length - at };
      }
      missing.add(mark);
    }
    if (!mayGrow) return { text: mark, length: mark.length };
    // Its end is still to come, or half of it has: shown as what it is going to be.
    const node = document.createElement(mark.length === 2 ? "strong" : "em");
    node.append(...this.inline(text.slice(inner).replace(/[*_]$/, ""), true, depth + 1));
    return { node, length: text.length - at };
  }

  labelled(text, mayGrow) {
    const link = LABELLED.exec(text);
    // Where it does not lead to the business, everybody sees where it leads.
    if (link) return isOwn(link[2], this.sites) ? { node: this.anchor(link[1], link[2]), length: link[0].length } : { text: link[0], length: link[0].length };
    const unfinished = mayGrow ? UNFINISHED.exec(text) : null;
    return unfinished ? { text: unfinished[1], length: text.length } : null;
  }

  address(text, at) {
    const found = ADDRESS.exec(text.slice(at, at + 2000));
    if (!found) return null;
    const shown = found[0].replace(TRAILING, "");
    if (!isOwn(shown, this.sites)) return { text: shown, length: shown.length };
    return { node: this.anchor(shown, shown), length: shown.length };
  }

  anchor(label, address) {
    const made = document.createElement("a");
    made.textContent = label;
    made.href = new URL(address).href;
    made.target = "_blank";
    made.rel = "noopener noreferrer";
    return made;
  }
}

// Returns where a mark is closed in the same paragraph, or -1.
function closing(text, from, mark) {
  for (let at = text.indexOf(mark, from); at >= 0; ) {
    let width = mark.length;
    while (text[at + width] === mark[0]) width += 1;
    const isLoose = isBlank(text[at - 1]) || text[at - 1] === "\\" || (mark[0] === "_" && isLetter(text[at + width]));
    if (width === mark.length && !isLoose) return at;
    // Three close both that are open; the inner one is what stands first.
    if (width > mark.length && mark.length === 2 && !isLoose) return at + width - 2;
    at = text.indexOf(mark, at + width);
  }
  return -1;
}
