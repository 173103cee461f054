import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import { withTimeout } from '@roomwire/shared/runtime/waiting';

/** The part of the presence board that is used here. */
export interface ParticipantBoard {
  readonly ready: Promise<void>;
  announce(presence: {
    readonly connection: number;
    readonly room: string;
    readonly actorTokenId: string;
    readonly presence: Uint8Array;
  }): Promise<boolean>;
  withdraw(connection: number): Promise<void>;
  entries(room: string): readonly { readonly actorTokenId: string }[];
}

/** Receives changes of a group's participants, by their names. */
export interface ParticipantListener {
  /** The announcement of this gateway has been read, so all later participants see it. */
  announced(others: readonly string[]): void;
  participantsChanged(others: readonly string[]): void;
}

export interface Participation {
  readonly room: string;
  readonly connection: number;
}

interface Listening extends Participation {
  readonly listener: ParticipantListener;
  /** Its first announcement has been read. */
  readonly known: () => void;
  isKnown: boolean;
}

/** Longer than the bus takes to deliver what it has stored. */
const returnMs = 15_000;

const prefix = 'worker-group:';
const emptyMap = Uint8Array.of(0x80);

/** The room in which the gateways with members of a group are present. */
export const participantRoom = (topic: string, group: string): string => `${prefix}${topic}/${group}`;

export const isParticipantRoom = (room: string): boolean => room.startsWith(prefix);

/**
 * The gateways that participate in each group. The presence board replicates them like the presence of actors: a gateway
 * is present in a room that represents the group, under the name `<gateway id>/<number>`.
 */
export class Participants {
  private readonly gatewayId: string;
  private readonly board: ParticipantBoard;
  private readonly byRoom = new Map<string, Set<Listening>>();
  private made = 0;

  constructor(gatewayId: string, board: ParticipantBoard) {
    this.gatewayId = gatewayId;
    this.board = board;
  }

  /** Resolves when the announcement has been read. Rejects with `EngineUnavailable` where the bus cannot be reached. */
  async enter(group: string, listener: ParticipantListener): Promise<Participation> {
    await this.board.ready;
    const room = prefix + group;
    let known = (): void => undefined;
    const isKnown = new Promise<boolean>((resolve) => (known = () => resolve(true)));
    // Connections of clients have positive numbers.
    const connection = -++this.made;
    const listening: Listening = { room, connection, listener, known, isKnown: false };
    const inRoom = this.byRoom.get(room);
    if (inRoom) inRoom.add(listening);
    else this.byRoom.set(room, new Set([listening]));
    const actorTokenId = `${this.gatewayId}/${this.made}`;
    const announcing = this.board.announce({ connection, room, actorTokenId, presence: emptyMap });
    // The board stops waiting early, but the earlier participants are known only once the announcement has been read.
    if ((await announcing) && (await withTimeout(returnMs, isKnown, () => false, { unref: true })))
      return listening;
    void this.leave(listening);
    throw new EngineUnavailable('message bus');
  }

  /** All commands of this gateway must be stored. */
  async leave({ room, connection }: Participation): Promise<void> {
    const inRoom = this.byRoom.get(room);
    for (const listening of inRoom ?? []) if (listening.connection === connection) inRoom?.delete(listening);
    if (inRoom?.size === 0) this.byRoom.delete(room);
    await this.board.withdraw(connection);
  }

  /** The names of the other participating gateways. */
  othersIn({ room }: Participation): readonly string[] {
    return this.board
      .entries(room)
      .map(({ actorTokenId }) => actorTokenId)
      .filter((name) => !name.startsWith(`${this.gatewayId}/`));
  }

  /** An announcement of this gateway has been read. */
  onOwnPresence(connection: number, room: string): void {
    for (const listening of this.byRoom.get(room) ?? []) {
      if (listening.connection !== connection) continue;
      listening.isKnown = true;
      listening.listener.announced(this.othersIn(listening));
      listening.known();
    }
  }

  onTransition(room: string): void {
    for (const listening of this.byRoom.get(room) ?? [])
      if (listening.isKnown) listening.listener.participantsChanged(this.othersIn(listening));
  }
}
