import type { MergedView } from './mergedView.js';

const mostViews = 256;
/** Of the messages that they have in memory. */
const mostBytes = 16 * 1024 * 1024;

/** The latest views of topics, for what was read of them: as long as nothing comes and nothing goes, it need not be read again. */
export class RecentViews {
  /** The latest last. */
  private readonly views = new Map<string, MergedView>();

  /** The same view, with what was read of a former one where that still holds. */
  latest(key: string, view: MergedView): MergedView {
    const former = this.views.get(key);
    if (former !== undefined) view.readOn(former);
    this.views.delete(key);
    this.views.set(key, view);
    this.makeRoom();
    return view;
  }

  private makeRoom(): void {
    let bytes = 0;
    for (const view of this.views.values()) bytes += view.bytes;
    for (const [key, view] of this.views) {
      if (bytes <= mostBytes && this.views.size <= mostViews) return;
      this.views.delete(key);
      bytes -= view.bytes;
    }
  }
}
