import { setTimeout as pause } from 'node:timers/promises';
import { closes } from '@roomwire/shared/wire/protocol/closes';
import type { Session } from '../session/session.js';
import type { LobbyView } from './lobbyView.js';
import type { LobbyNotice } from './lobbyNotice.js';

/** Events that may wait until it is known whether the actor may see them. */
const maxWaiting = 1_000;

const retryAfterMs = 500;

/** What one session is told about one lobby, in the order in which it happened. */
export class LobbyFeed {
  readonly lobbyId: string;
  readonly view: LobbyView;
  private readonly session: Session;
  private readonly waiting: LobbyNotice[] = [];
  /** While it is not told which rooms the session sees, or its snapshot is not out, events wait. */
  private isHeld = true;
  private isOver = false;

  constructor(session: Session, lobbyId: string, view: LobbyView) {
    this.session = session;
    this.lobbyId = lobbyId;
    this.view = view;
  }

  /** The snapshot is out: what happened after it may follow. */
  release(): void {
    void this.drain();
  }

  end(): void {
    this.isOver = true;
    this.waiting.length = 0;
  }

  push(notice: LobbyNotice): void {
    if (this.isHeld) return this.wait(notice);
    const isShown = this.view.showsAsKnown(notice.roomSlug);
    if (isShown === true) this.send(notice);
    else if (isShown === undefined) {
      this.wait(notice);
      void this.drain();
    }
  }

  private wait(notice: LobbyNotice): void {
    if (this.waiting.push(notice) > maxWaiting) this.session.link.close(closes.serviceRestart);
  }

  private async drain(): Promise<void> {
    this.isHeld = true;
    for (let next = this.waiting[0]; next !== undefined; next = this.waiting[0]) {
      const isShown = await this.isShown(next.roomSlug);
      if (this.isOver) return;
      if (isShown) this.send(next);
      this.waiting.shift();
    }
    this.isHeld = false;
  }

  private async isShown(roomSlug: string): Promise<boolean> {
    while (!this.isOver) {
      try {
        return await this.view.shows(roomSlug);
      } catch {
        // The read models are away: the order of the events is kept until they are back.
        await pause(retryAfterMs, undefined, { ref: false });
      }
    }
    return false;
  }

  private send(notice: LobbyNotice): void {
    this.session.link.outbox.push(notice.frame(this.lobbyId));
  }
}
