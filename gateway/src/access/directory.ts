import type { App } from '@roomwire/shared/domain/app';
import { roomGrants, type Room, type RoomGrants } from '@roomwire/shared/domain/room';
import type { ViewReader } from '@roomwire/shared/ports/viewStore';
import type { LimitReports } from '@roomwire/shared/runtime/limitReports';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';
import { EntryCache, type Entry } from './entryCache.js';

/** A room with its grants. */
export interface GrantedRoom extends Room {
  readonly grants: RoomGrants;
}

/** An app and one of its rooms, as an address names them. */
export interface RoomLocation {
  readonly app: Entry<App>;
  readonly room: Entry<GrantedRoom>;
}

/** Caches the documents that authorization reads until a domain event invalidates them. */
export class Directory {
  private readonly views: ViewReader;
  private readonly apps: EntryCache<App>;
  private readonly rooms: EntryCache<GrantedRoom>;

  constructor(views: ViewReader, limits?: Pick<LimitReports, 'reached'>) {
    this.views = views;
    this.apps = new EntryCache({
      idOf: (app) => app.appId,
      maxEntries: limitTable.cachedApps.value,
      onEvicted: () => limits?.reached('cachedApps'),
    });
    this.rooms = new EntryCache({
      idOf: (room) => room.roomId,
      maxEntries: limitTable.cachedRooms.value,
      onEvicted: () => limits?.reached('cachedRooms'),
    });
  }

  /** Synchronous where both are cached, undefined where one does not exist. Rejects when the read models fail. */
  locate(
    projectId: string,
    appSlug: string,
    roomSlug: string,
  ): RoomLocation | Promise<RoomLocation | undefined> {
    return this.peek(projectId, appSlug, roomSlug) ?? this.readLocation(projectId, appSlug, roomSlug);
  }

  /** Undefined where one is not cached. */
  peek(projectId: string, appSlug: string, roomSlug: string): RoomLocation | undefined {
    const app = this.apps.peek(`${projectId}/${appSlug}`);
    const room = app && this.rooms.peek(`${app.value.appId}/${roomSlug}`);
    return app && room && { app, room };
  }

  /** Whether the app is cached: where a room that was looked for is missing, whether its app is there. */
  knowsApp(projectId: string, slug: string): boolean {
    return this.peekApp(projectId, slug) !== undefined;
  }

  /** Undefined where it is not cached. */
  peekApp(projectId: string, slug: string): App | undefined {
    return this.apps.peek(`${projectId}/${slug}`)?.value;
  }

  /** Rejects when the read models fail. */
  async app(projectId: string, slug: string): Promise<Entry<App> | undefined> {
    const key = `${projectId}/${slug}`;
    const read = () => this.views.find('apps', { filter: { projectId, slug }, limit: 1 });
    return this.apps.peek(key) ?? this.apps.load(key, async () => (await read())[0]);
  }

  appChanged(appId: string): void {
    this.apps.drop(appId);
  }

  /** The room itself, or its grants. */
  roomChanged(roomId: string): void {
    this.rooms.drop(roomId);
  }

  /** An unknown change in the project. */
  projectChanged(projectId: string): void {
    this.apps.dropProject(projectId);
    this.rooms.dropProject(projectId);
  }

  /** What of these projects may have changed unnoticed. */
  forget(isMeant: (projectId: string) => boolean): void {
    this.apps.forget(isMeant);
    this.rooms.forget(isMeant);
  }

  forgetAll(): void {
    this.apps.dropAll();
    this.rooms.dropAll();
  }

  private async readLocation(
    projectId: string,
    appSlug: string,
    roomSlug: string,
  ): Promise<RoomLocation | undefined> {
    const app = await this.app(projectId, appSlug);
    const room = app && (await this.room(app.value.appId, roomSlug));
    return app && room && { app, room };
  }

  private async room(appId: string, slug: string): Promise<Entry<GrantedRoom> | undefined> {
    const key = `${appId}/${slug}`;
    return this.rooms.peek(key) ?? this.rooms.load(key, () => this.readRoom(appId, slug));
  }

  /** A grant that is added between the two reads causes an event, which drops the entry again. */
  private async readRoom(appId: string, slug: string): Promise<GrantedRoom | undefined> {
    const [room] = await this.views.find('rooms', { filter: { appId, slug }, limit: 1 });
    if (room === undefined) return undefined;
    const grants = await this.views.find('grants', { filter: { roomId: room.roomId } });
    return { ...room, grants: roomGrants(grants) };
  }
}
