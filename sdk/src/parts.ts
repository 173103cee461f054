import type { ClientEvents } from './clientEvents.js';
import { Connection, type ConnectionState } from './connection/connection.js';
import type { Session } from './connection/link.js';
import { Renewal } from './connection/renewal.js';
import { Tokens } from './connection/tokens.js';
import { AuthenticationError, type RoomwireError } from './errors.js';
import { Histories } from './history/histories.js';
import type { Settings } from './options.js';
import { Lobbies } from './presence/lobbies.js';
import { Rooms } from './presence/rooms.js';
import { Emitter, systemId } from './primitives.js';
import type { ClientFrame } from './protocol/clientFrames.js';
import type { Feature, ReauthFrame } from './protocol/frames.js';
import { Publishes } from './publishes/publishes.js';
import { Requests } from './requests.js';
import { routesOf, type Routes } from './routes.js';
import { Subscriptions } from './subscriptions/subscriptions.js';

/** What a client is made of, and who is told when the connection comes and goes. */
export class Parts {
  readonly emitter = new Emitter<ClientEvents>();
  readonly connection: Connection;
  readonly subscriptions: Subscriptions;
  readonly publishes: Publishes;
  readonly requests: Requests;
  readonly rooms: Rooms;
  readonly lobbies: Lobbies;
  readonly histories: Histories;
  features: readonly Feature[] = [];
  renewal: Renewal | undefined;
  private readonly settings: Settings;
  private readonly tokens: Tokens;
  private readonly routes: Routes;

  constructor(settings: Settings) {
    this.settings = settings;
    this.tokens = new Tokens(settings);
    this.routes = routesOf(this);
    this.connection = new Connection(settings, this.tokens, {
      onState: (state) => this.changed(state),
      onFrame: (frame) => (this.routes[frame.type] as (of: typeof frame) => void)(frame),
      onError: (error) => this.report(error),
      onWake: () => this.renewal?.woken(),
    });
    const { schedule, random, now, timeouts } = settings;
    const context = {
      ...{ schedule, random, now, newId: systemId },
      ...{ requestMs: timeouts.requestMs, publishMs: timeouts.publishMs },
      send: (frame: ClientFrame) => this.connection.send(frame),
      sendEncoded: (frame: Uint8Array<ArrayBuffer>) => this.connection.sendEncoded(frame),
      isOnline: () => this.connection.online,
      has: (feature: Feature) => this.features.includes(feature),
      onError: (error: RoomwireError) => this.report(error),
    };
    this.publishes = new Publishes(context);
    this.subscriptions = new Subscriptions(context);
    this.requests = new Requests(context);
    this.rooms = new Rooms(this.requests, context);
    this.lobbies = new Lobbies(this.requests, context);
    this.histories = new Histories(this.requests, context);
  }

  report(error: RoomwireError): void {
    this.emitter.emit('error', error);
  }

  private changed(state: ConnectionState): void {
    if (state.name === 'connected') this.connected(state.session);
    if (state.name === 'waiting') this.disconnected(state.reason);
    if (state.name === 'closed') this.closed(state.reason);
    this.emitter.emit('state', state);
  }

  private connected(session: Session): void {
    this.features = session.features;
    this.renewal = this.renewalOf(session);
    this.subscriptions.connected(session.restoredSubscriptions);
    this.rooms.connected();
    this.lobbies.connected();
    this.publishes.connected(session.features);
  }

  private disconnected(reason: RoomwireError): void {
    this.renewal?.stop();
    this.publishes.disconnected(reason);
    this.requests.lost(reason);
    this.subscriptions.disconnected();
  }

  private closed(reason: RoomwireError): void {
    this.renewal?.stop();
    this.publishes.close(reason);
    this.requests.lost(reason);
    this.subscriptions.close(reason);
  }

  private renewalOf({ authExpiresAt }: Session): Renewal {
    const { schedule, random, now } = this.settings;
    const context = {
      ...{ tokens: this.tokens, schedule, random, now },
      reauthenticate: (token: string) => this.reauthenticate(token),
      onError: (error: RoomwireError) => this.report(error),
    };
    return new Renewal(context, authExpiresAt);
  }

  private async reauthenticate(token: string): Promise<number | undefined> {
    const answer = await this.requests.ask({
      frames: [{ type: 'reauth', token }],
      // No name of a topic, a room or a lobby: no refusal means this request.
      about: 'the token',
      answeredBy: { type: 'reauth', about: undefined },
      refusalAnswers: true,
    });
    const { error, authExpiresAt } = answer as ReauthFrame;
    if (error !== undefined) throw new AuthenticationError(error);
    return authExpiresAt;
  }
}
