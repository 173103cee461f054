import type { Frame } from './link.js';
import { Participant } from './participant.js';
import { PresenceView, type Present } from './presenceView.js';

/** Sees every message of every topic from the beginning, and so knows their order. It publishes nothing. */
export class Onlooker extends Participant {
  protected override begin(): void {
    // It is promised everything: `Topic` and `Ledger` know what that is.
  }

  protected override onMessage(frame: Frame): void {
    const { ledger, findings } = this.ground;
    const { id } = frame.data as { readonly id: number };
    const sent = ledger.find(id);
    if (sent !== undefined && sent.topic.address === frame.topic) sent.topic.seen(sent);
    else findings.violated(`a message came to the onlooker that nobody has sent: ${id}`);
  }
}

/** Watches who is present in the whole app. */
export class LobbyWatcher extends Participant {
  #view: PresenceView | undefined;

  get told(): Present {
    return this.#view?.present ?? new Map();
  }

  async watch(): Promise<void> {
    await this.connect();
    const lobbyId = this.ground.place.appSlug;
    await this.link.ask({ type: 'lobbySubscribe', lobbyId }, 'lobbySubscribed', ({ presence }) => {
      this.#view = new PresenceView(presence, this.ground.findings);
    });
  }

  override onFrame(frame: Frame): void {
    if (frame.type !== 'lobbyPresence') return super.onFrame(frame);
    this.ground.findings.count('lobby events');
    this.#view?.told(frame);
  }
}
