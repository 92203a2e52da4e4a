/**
 * The canonical form of a JSON text, version 1. Two texts have one form when they say the same:
 *
 * - white space between tokens is left out;
 * - the members of an object are sorted by the UTF-16 code units of their names, in no language's order;
 *   of a name given twice the last counts, as for `JSON.parse`;
 * - arrays keep their order;
 * - strings are compared by their characters, however escaped: `"\u0041"` is `"A"`. Nothing is normalised:
 *   a composed and a decomposed `é` differ;
 * - numbers are kept as written, so no 64-bit id is rounded: `9007199254740993` and `9007199254740992`
 *   differ, and so do `1`, `1.0` and `1e0`.
 *
 *     {"b": [1.0, "\u0041"], "a": null}   →   {"a":null,"b":[1.0,"A"]}
 *
 * There is no recursion, because `JSON.parse` takes nesting that would overflow the engine's stack.
 *
 * @param text JSON that `JSON.parse` has accepted; nothing is checked again here.
 * @param leaveOut places that do not count, each as the steps to it from the outside in.
 */
export function canonicalJson(text: string, leaveOut: readonly (readonly string[])[] = []): string {
  const reader = new Reader(text);
  const outer: Container[] = [];
  let container: Container | undefined;
  for (;;) {
    const unit = reader.peek();
    let form: string;
    if (unit === code.openObject || unit === code.openArray) {
      if (container !== undefined) outer.push(container);
      container = unit === code.openObject ? new ObjectForm() : new ArrayForm();
      reader.at += 1;
      continue;
    }
    if (unit === code.comma) {
      reader.at += 1;
      continue;
    }
    if (unit === code.quote) {
      const content = reader.string();
      form = reader.quoted(content);
      if (container instanceof ObjectForm && reader.peek() === code.colon) {
        reader.at += 1;
        container.name = content;
        container.label = `${form}:`;
        continue;
      }
    } else if (container !== undefined && (unit === code.closeObject || unit === code.closeArray)) {
      form = container.close();
      container = outer.pop();
      reader.at += 1;
    } else {
      form = reader.word();
    }
    if (container === undefined) return form;
    const place = container;
    if (leaveOut.some((steps) => leadTo(steps, outer, place))) container.skip();
    else container.add(form);
  }
}

/** Whether the steps lead to what is read next. Nesting may be deep, so their number is compared first. */
function leadTo(steps: readonly string[], outer: readonly Container[], inner: Container): boolean {
  return (
    steps.length === outer.length + 1 && steps.every((step, depth) => (outer[depth] ?? inner).step === step)
  );
}

type Container = ObjectForm | ArrayForm;

class ArrayForm {
  private form = '';
  private length = 0;

  /** Where the element that is read next stands. */
  get step(): string {
    return String(this.length);
  }

  skip(): void {
    this.length += 1;
  }

  add(form: string): void {
    this.length += 1;
    this.form += this.form === '' ? form : `,${form}`;
  }

  close(): string {
    return `[${this.form}]`;
  }
}

class ObjectForm {
  /** Of the member whose value is read next: its name, and the same in canonical form with a colon. */
  name = '';
  label = '';
  private readonly members: { readonly name: string; readonly form: string }[] = [];
  private ascending = true;

  get step(): string {
    return this.name;
  }

  skip(): void {}

  add(form: string): void {
    const last = this.members.at(-1);
    if (last !== undefined && last.name > this.name) this.ascending = false;
    this.members.push({ name: this.name, form: this.label + form });
  }

  close(): string {
    if (!this.ascending) this.members.sort(byCodeUnits);
    let form = '';
    for (const [place, member] of this.members.entries()) {
      // The sort is stable: of equal names the one written last comes last, and counts.
      if (member.name === this.members[place + 1]?.name) continue;
      form += form === '' ? member.form : `,${member.form}`;
    }
    return `{${form}}`;
  }
}

function byCodeUnits(left: { readonly name: string }, right: { readonly name: string }): number {
  return left.name < right.name ? -1 : left.name > right.name ? 1 : 0;
}

const code = {
  quote: 0x22,
  comma: 0x2c,
  colon: 0x3a,
  openArray: 0x5b,
  backslash: 0x5c,
  closeArray: 0x5d,
  openObject: 0x7b,
  closeObject: 0x7d,
} as const;

class Reader {
  at = 0;
  private readonly text: string;
  /** Whether every string of the text is canonical as it is written. */
  private readonly verbatim: boolean;

  constructor(text: string) {
    this.text = text;
    this.verbatim = !text.includes('\\') && text.isWellFormed();
  }

  /** The next code unit that is no white space; NaN behind the end. */
  peek(): number {
    for (;;) {
      const unit = this.text.charCodeAt(this.at);
      if (unit !== 0x20 && unit !== 0x0a && unit !== 0x0d && unit !== 0x09) return unit;
      this.at += 1;
    }
  }

  /** Reads a string and returns its content. */
  string(): string {
    const start = this.at;
    let end = this.text.indexOf('"', start + 1);
    if (!this.verbatim) while (this.isEscaped(end)) end = this.text.indexOf('"', end + 1);
    if (end === -1) throw this.unexpected();
    this.at = end + 1;
    const content = this.text.slice(start + 1, end);
    return this.verbatim || !content.includes('\\') ? content : String(JSON.parse(`"${content}"`));
  }

  quoted(content: string): string {
    // `JSON.stringify` escapes lone surrogates, which UTF-8, and so a hash of it, could not tell apart.
    return this.verbatim ? `"${content}"` : JSON.stringify(content);
  }

  /** Reads a number, `true`, `false` or `null`. */
  word(): string {
    const start = this.at;
    while (isWordUnit(this.text.charCodeAt(this.at))) this.at += 1;
    if (this.at === start) throw this.unexpected();
    return this.text.slice(start, this.at);
  }

  /** Whether an odd number of backslashes stands before. */
  private isEscaped(at: number): boolean {
    let before = at;
    while (this.text.charCodeAt(before - 1) === code.backslash) before -= 1;
    return (at - before) % 2 === 1;
  }

  private unexpected(): SyntaxError {
    return new SyntaxError(`not JSON at position ${this.at}`);
  }
}

/** Small letters, digits, `E`, `+`, `-` and `.`. */
function isWordUnit(unit: number): boolean {
  return (
    (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x2b && unit <= 0x39 && unit !== code.comma) || unit === 0x45
  );
}
