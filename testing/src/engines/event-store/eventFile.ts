import { open, readFile, type FileHandle } from 'node:fs/promises';
import { fromLine, type StoredEvent, toLine } from './responses.js';

interface Waiting {
  readonly line: string;
  readonly done: () => void;
}

/** An append-only file, one line an append. What `write` has resolved for outlives the process. */
export class EventFile {
  private readonly handle: FileHandle;
  private queue: Waiting[] = [];
  private writing: Promise<void> | undefined;

  private constructor(handle: FileHandle) {
    this.handle = handle;
  }

  /** The file, and what was in it. An append that was cut off by the end of the process is taken away. */
  static async open(path: string): Promise<{ file: EventFile; appends: readonly StoredEvent[][] }> {
    const handle = await open(path, 'a');
    const text = await readFile(path, 'utf8');
    const whole = text.slice(0, text.lastIndexOf('\n') + 1);
    if (whole.length < text.length) await handle.truncate(Buffer.byteLength(whole));
    const appends = whole.split('\n').slice(0, -1).map(fromLine);
    return { file: new EventFile(handle), appends };
  }

  /** Resolves when the events are on disk, in the order of the calls. Those that come meanwhile share a sync. */
  write(events: readonly StoredEvent[]): Promise<void> {
    return new Promise((resolve) => {
      this.queue.push({ line: toLine(events), done: resolve });
      this.writing ??= this.writeAll();
    });
  }

  /** Resolves when all that has been handed in so far is on disk. */
  async flushed(): Promise<void> {
    await this.writing;
  }

  private async writeAll(): Promise<void> {
    while (this.queue.length > 0) {
      const group = this.queue;
      this.queue = [];
      await this.handle.appendFile(group.map(({ line }) => line).join(''));
      await this.handle.datasync();
      for (const { done } of group) done();
    }
    this.writing = undefined;
  }
}
