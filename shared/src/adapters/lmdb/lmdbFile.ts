import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { DamagedFile } from '../../ports/errors.js';

// LMDB maps its file into memory: reading what is not there any more ends the process with SIGBUS, and a file that is not its own
// with a segmentation fault. So its length is compared with its content before.

/** Throws `DamagedFile` where LMDB could not read all of the file; not for one that is not there. */
export const requireWhole = (path: string): void => {
  const fault = faultOf(path);
  if (fault !== undefined) throw new DamagedFile(path, fault);
};

/** Whether the file is there, and LMDB could not read all of it. */
export const isDamaged = (path: string): boolean => faultOf(path) !== undefined;

/** Another process may write it meanwhile, and what is read then belongs to no one moment. */
const attempts = 3;

const faultOf = (path: string): string | undefined => {
  if (!existsSync(path)) return undefined;
  let fault: string | undefined;
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const file = openSync(path, 'r');
    try {
      fault = new LmdbFile(file).fault();
    } finally {
      closeSync(file);
    }
    if (fault === undefined) return undefined;
  }
  return fault;
};

/** A tree of pages, as of the last commit. */
interface Meta {
  readonly pageBytes: number;
  readonly lastPage: number;
  readonly transaction: number;
  readonly roots: readonly number[];
}

// The layout of data format 2 of LMDB, on machines whose words have 64 bits and begin with the low byte.
const headerBytes = 24;
const [flagsAt, lowerAt] = [18, 20];
const flags = { branch: 0x01, leaf: 0x02, meta: 0x08, packedLeaf: 0x20 };
const metaBytes = 136;
const [magicAt, freeListAt, mainAt, lastPageAt, transactionAt] = [24, 48, 96, 144, 152];
const magicNumber = 0xbeefc0de;
const rootAt = 40;
const [nodeFlagsAt, keyBytesAt, nodeHeaderBytes] = [4, 6, 8];
const nodeFlags = { overflow: 0x01, subtree: 0x02 };
const overflowPagesAt = 16;
/** The root of an empty tree is a page with all bits set, which no file has. */
const isNoPage = (page: number): boolean => page > Number.MAX_SAFE_INTEGER;

class LmdbFile {
  private readonly file: number;

  constructor(file: number) {
    this.file = file;
  }

  fault(): string | undefined {
    const first = this.metaAt(0);
    if (first === undefined) return this.size === 0 ? 'it is empty' : 'it does not begin as a file of LMDB';
    const second = this.metaAt(first.pageBytes);
    if (second === undefined) return `it was cut off after ${this.size} bytes, within its header`;
    const last = second.transaction > first.transaction ? second : first;
    const whole = (last.lastPage + 1) * first.pageBytes;
    const { size } = this;
    if (size >= whole || this.reachesOnly(size, { ...last, pageBytes: first.pageBytes })) return undefined;
    return `it was cut off after ${size} of ${whole} bytes`;
  }

  /** Grows only, and a commit comes after the pages that belong to it: asked after the meta pages were read. */
  private get size(): number {
    return fstatSync(this.file).size;
  }

  private metaAt(position: number): Meta | undefined {
    const page = this.read(position, headerBytes + metaBytes);
    if (page === undefined || page.readUInt32LE(magicAt) !== magicNumber) return undefined;
    if ((page.readUInt16LE(flagsAt) & flags.meta) === 0) return undefined;
    return {
      pageBytes: page.readUInt32LE(freeListAt),
      lastPage: wordAt(page, lastPageAt),
      transaction: wordAt(page, transactionAt),
      roots: [wordAt(page, freeListAt + rootAt), wordAt(page, mainAt + rootAt)],
    };
  }

  /**
   * Whether all pages that are in use lie within the size. The last pages of a file may be free, and were then perhaps never
   * written; that is so rare that going through the whole tree is no matter.
   */
  private reachesOnly(size: number, { pageBytes, lastPage, roots }: Meta): boolean {
    const open = roots.filter((root) => !isNoPage(root));
    for (let seen = 0; seen <= lastPage; seen += 1) {
      const number = open.pop();
      if (number === undefined) return true;
      const page = this.read(number * pageBytes, pageBytes);
      if (page === undefined) return false;
      const references = referencesOf(page);
      if (references === undefined) return false;
      if (references.overflows.some(({ first, pages }) => (first + pages) * pageBytes > size)) return false;
      open.push(...references.pages);
    }
    return open.length === 0;
  }

  /** Undefined where the file ends before. */
  private read(position: number, length: number): Buffer | undefined {
    const bytes = Buffer.alloc(length);
    return readSync(this.file, bytes, 0, length, position) === length ? bytes : undefined;
  }
}

const wordAt = (page: Buffer, position: number): number => Number(page.readBigUInt64LE(position));

interface References {
  readonly pages: readonly number[];
  readonly overflows: readonly { readonly first: number; readonly pages: number }[];
}

/** The pages that a page of a tree leads to; undefined for what is none. */
const referencesOf = (page: Buffer): References | undefined => {
  const kind = page.readUInt16LE(flagsAt);
  if ((kind & flags.packedLeaf) !== 0) return { pages: [], overflows: [] };
  if ((kind & flags.branch) !== 0)
    return { pages: nodesOf(page).map((node) => childOf(page, node)), overflows: [] };
  if ((kind & flags.leaf) === 0) return undefined;
  const pages: number[] = [];
  const overflows: References['overflows'][number][] = [];
  for (const node of nodesOf(page)) {
    const has = page.readUInt16LE(node + nodeFlagsAt);
    const value = node + nodeHeaderBytes + page.readUInt16LE(node + keyBytesAt);
    if ((has & nodeFlags.overflow) !== 0)
      overflows.push({ first: wordAt(page, value), pages: wordAt(page, value + overflowPagesAt) });
    else if ((has & nodeFlags.subtree) !== 0) {
      const root = wordAt(page, value + rootAt);
      if (!isNoPage(root)) pages.push(root);
    }
  }
  return { pages, overflows };
};

/** Where the nodes of a page begin. */
const nodesOf = (page: Buffer): readonly number[] =>
  Array.from(
    { length: page.readUInt16LE(lowerAt) / 2 },
    (_, index) => headerBytes + page.readUInt16LE(headerBytes + 2 * index),
  );

/** 48 bits, of which the upper ones are where a leaf has its flags. */
const childOf = (page: Buffer, node: number): number =>
  page.readUInt32LE(node) + page.readUInt16LE(node + nodeFlagsAt) * 2 ** 32;
