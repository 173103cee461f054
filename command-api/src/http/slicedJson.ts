import type { Buffer } from 'node:buffer';
import type { WorkSlices } from '@roomwire/shared/runtime/workSlices';
import { isSpace, token } from '@roomwire/shared/wire/protocol/jsonScan';

/** Text that is parsed at a time, which takes a few milliseconds at most. */
const pieceBytes = 16 * 1024;

export interface JsonBounds {
  /** Of containers in one another. */
  readonly levels: number;
  /** Of one object. */
  readonly fields: number;
  /** Makes the error for a text that is beyond one of them. */
  readonly beyond: (bound: 'levels' | 'fields') => Error;
}

/**
 * What `JSON.parse` makes of a text in UTF-8, but in slices and within bounds: a megabyte with names that are all distinct takes
 * between a tenth and a third of a second. Rejects with a `SyntaxError`, or what the bounds make.
 */
export const parseInSlices = async (
  bytes: Buffer,
  bounds: JsonBounds,
  slices: WorkSlices,
): Promise<unknown> => {
  const text = new PiecewiseText(bytes, bounds);
  while (text.parsePiece()) if (slices.isOver()) await slices.next();
  return text.end();
};

type Members = unknown[] | Record<string, unknown>;

/** A list or an object whose end has not been reached. Places are those of bytes. */
interface OpenContainer {
  readonly isObject: boolean;
  readonly parent: OpenContainer | undefined;
  readonly depth: number;
  readonly begin: number;
  /** Where the member begins at which the text is. */
  member: number;
  /** Where the text begins of which nothing has been parsed. */
  unparsed: number;
  /** Whether the member was parsed in pieces of its own, so that only a comma may follow. */
  isMemberParsed: boolean;
  /** What has been parsed, once something has. */
  parsed: Members | undefined;
  fields: number;
}

/** Finds where members end, and parses as many at a time as make a piece. */
class PiecewiseText {
  private readonly bytes: Buffer;
  private readonly bounds: JsonBounds;
  private at = 0;
  private lastPiece = 0;
  private innermost: OpenContainer | undefined;
  /** The outermost container, when it was parsed in pieces and has ended. */
  private whole: Members | undefined;

  constructor(bytes: Buffer, bounds: JsonBounds) {
    this.bytes = bytes;
    this.bounds = bounds;
  }

  /** False at the end of the text. */
  parsePiece(): boolean {
    while (this.at < this.bytes.length) {
      const isPiece = this.take(this.bytes[this.at]);
      this.at += 1;
      if (isPiece) return true;
    }
    return false;
  }

  end(): unknown {
    if (this.innermost !== undefined) throw notJson();
    if (this.whole === undefined) return JSON.parse(this.textOf(0, this.bytes.length));
    this.expectBlank(this.lastPiece, this.bytes.length);
    return this.whole;
  }

  /** Whether a piece has been parsed. */
  private take(byte: number | undefined): boolean {
    switch (byte) {
      case token.quote:
        return this.skipString();
      case token.colon:
        return this.countField();
      case token.openArray:
      case token.openObject:
        return this.begin(byte === token.openObject);
      case token.comma:
        return this.endMember();
      case token.closeArray:
      case token.closeObject:
        return this.close(byte === token.closeObject);
      default:
        return false;
    }
  }

  /** To its closing quote. What it holds, `JSON.parse` looks at. */
  private skipString(): false {
    const { bytes } = this;
    let at = this.at + 1;
    for (; at < bytes.length && bytes[at] !== token.quote; at += 1)
      if (bytes[at] === token.backslash) at += 1;
    this.at = at;
    return false;
  }

  private countField(): false {
    if (this.innermost === undefined) throw notJson();
    this.innermost.fields += 1;
    if (this.innermost.fields > this.bounds.fields) throw this.bounds.beyond('fields');
    return false;
  }

  private begin(isObject: boolean): false {
    if (this.whole !== undefined) throw notJson();
    const { innermost: parent, at } = this;
    const depth = (parent?.depth ?? 0) + 1;
    if (depth > this.bounds.levels) throw this.bounds.beyond('levels');
    const [member, unparsed] = [at + 1, at + 1];
    const rest = { isMemberParsed: false, parsed: undefined, fields: 0 };
    this.innermost = { isObject, parent, depth, begin: at, member, unparsed, ...rest };
    return false;
  }

  private endMember(): boolean {
    const { innermost: container, at } = this;
    if (container === undefined) throw notJson();
    const isPiece = at - this.lastPiece >= pieceBytes;
    if (container.isMemberParsed || isPiece) {
      this.parseMembers(container, at);
      container.unparsed = at + 1;
    }
    container.member = at + 1;
    container.isMemberParsed = false;
    return isPiece;
  }

  private close(isObject: boolean): boolean {
    const { innermost: container, at } = this;
    if (container?.isObject !== isObject) throw notJson();
    const { parent, parsed } = container;
    this.innermost = parent;
    // A small one is parsed with the members beside it.
    if (parsed === undefined) return false;
    this.parseMembers(container, at);
    this.lastPiece = at + 1;
    if (parent === undefined) this.whole = parsed;
    else [parent.unparsed, parent.isMemberParsed] = [at + 1, true];
    return true;
  }

  /** Those that have not been, up to where the last of them ends. */
  private parseMembers(container: OpenContainer, end: number): void {
    const { isObject, unparsed, isMemberParsed } = container;
    if (isMemberParsed) return this.expectBlank(unparsed, end);
    // Between two commas, or behind the last one.
    if (this.isBlank(unparsed, end)) throw notJson();
    const text = this.textOf(unparsed, end);
    const into = this.parsedOf(container);
    const members = JSON.parse(isObject ? `{${text}}` : `[${text}]`) as Members;
    if (Array.isArray(into)) for (const member of members as unknown[]) into.push(member);
    else for (const [name, member] of Object.entries(members)) setField(into, name, member);
    this.lastPiece = end;
  }

  /** With the containers around it, whose earlier members come before it. */
  private parsedOf(container: OpenContainer): Members {
    if (container.parsed !== undefined) return container.parsed;
    const parsed: Members = container.isObject ? {} : [];
    container.parsed = parsed;
    const { parent, begin } = container;
    if (parent === undefined) {
      this.expectBlank(0, begin);
      return parsed;
    }
    if (parent.unparsed < parent.member) this.parseMembers(parent, parent.member - 1);
    const into = this.parsedOf(parent);
    if (Array.isArray(into)) {
      this.expectBlank(parent.member, begin);
      into.push(parsed);
    } else setField(into, this.nameIn(parent.member, begin), parsed);
    parent.unparsed = begin;
    return parsed;
  }

  private nameIn(from: number, to: number): string {
    const [name] = Object.keys(JSON.parse(`{${this.textOf(from, to)}0}`) as object);
    if (name === undefined) throw notJson();
    return name;
  }

  private expectBlank(from: number, to: number): void {
    if (!this.isBlank(from, to)) throw notJson();
  }

  private isBlank(from: number, to: number): boolean {
    let at = from;
    while (at < to && isSpace(this.bytes[at])) at += 1;
    return at >= to;
  }

  private textOf(from: number, to: number): string {
    return this.bytes.toString('utf8', from, to);
  }
}

/** Assigning `__proto__` would change the prototype, and no field. */
const setField = (into: Record<string, unknown>, name: string, value: unknown): void => {
  if (name !== '__proto__') into[name] = value;
  else Object.defineProperty(into, name, { value, enumerable: true, configurable: true, writable: true });
};

const notJson = (): SyntaxError => new SyntaxError('Not JSON');
