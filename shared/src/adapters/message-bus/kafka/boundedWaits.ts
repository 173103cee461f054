/** Waits for what may never settle: each ends after a while, and all of them when there is nothing to hope for. */
export class BoundedWaits {
  private readonly longestMs: number;
  private readonly waiting = new Set<(why: string) => void>();

  constructor(longestMs: number) {
    this.longestMs = longestMs;
  }

  /** Rejects when it takes longer; what is waited for goes on all the same. */
  for<T>(action: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const end = (why: string): void => {
        clearTimeout(tooLate);
        this.waiting.delete(end);
        reject(new Error(why));
      };
      const tooLate = setTimeout(end, this.longestMs, 'It took too long');
      this.waiting.add(end);
      void action.then(resolve, reject).finally(() => {
        clearTimeout(tooLate);
        this.waiting.delete(end);
      });
    });
  }

  end(why: string): void {
    for (const end of this.waiting) end(why);
  }
}
