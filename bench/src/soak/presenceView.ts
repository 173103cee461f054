import type { Findings } from './findings.js';

/** By room, then by `actorTokenId`, what each one says of itself. */
export type Present = Map<string, Map<string, string>>;

interface Notice {
  readonly event: string;
  readonly roomId: string;
  readonly actorId: string;
  readonly data: unknown;
}

/** Who is present where, as a lobby tells it: a snapshot and what happens from then on. */
export class PresenceView {
  readonly present: Present = new Map();
  private readonly findings: Findings;

  constructor(snapshot: unknown, findings: Findings) {
    this.findings = findings;
    const rooms = Object.entries(snapshot as Record<string, Record<string, { presence: unknown }>>);
    for (const [room, actors] of rooms)
      for (const [actor, { presence }] of Object.entries(actors)) put(this.present, room, actor, presence);
  }

  told(notice: unknown): void {
    const { event, roomId, actorId, data } = notice as Notice;
    const isThere = this.present.get(roomId)?.has(actorId) ?? false;
    if (isThere === (event === 'join'))
      this.findings.violated(`a ${event} of ${actorId} in ${roomId}, who ${isThere ? 'is' : 'is not'} there`);
    if (event === 'leave') take(this.present, roomId, actorId);
    else put(this.present, roomId, actorId, data);
  }
}

export const put = (present: Present, room: string, actor: string, data: unknown): void => {
  const actors = present.get(room) ?? new Map<string, string>();
  present.set(room, actors.set(actor, JSON.stringify(data)));
};

export const take = (present: Present, room: string, actor: string): void => {
  const actors = present.get(room);
  actors?.delete(actor);
  if (actors?.size === 0) present.delete(room);
};

/** The first difference in words; undefined when there is none. */
export const difference = (told: Present, true_: Present): string | undefined => {
  for (const room of new Set([...told.keys(), ...true_.keys()])) {
    const [one, other] = [told.get(room), true_.get(room)];
    for (const actor of new Set([...(one?.keys() ?? []), ...(other?.keys() ?? [])])) {
      const [shown, meant] = [one?.get(actor), other?.get(actor)];
      if (shown !== meant)
        return `${actor} in ${room}: ${shown ?? 'absent'}, and should be ${meant ?? 'absent'}`;
    }
  }
  return undefined;
};
