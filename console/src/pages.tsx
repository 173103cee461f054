import { lazy, type ComponentType } from 'react';
import {
  Boxes,
  Cable,
  Footprints,
  KeyRound,
  LayoutDashboard,
  type LucideIcon,
  Network,
  Radio,
  Route,
  Scale,
  ScrollText,
  Users,
  Webhook,
} from 'lucide-react';
import { onceAnswered } from './api/connectivity.js';

/** The parts of the menu, in their order. */
export const sections = ['Now', 'Set up', 'Find out'] as const;

/** A page of a project. A new one is a folder in `pages/` and a row below. */
export interface PageRow {
  /** The first segment of its addresses; whatever follows is the page's own. */
  readonly path: string;
  readonly title: string;
  readonly section: (typeof sections)[number];
  readonly Icon: LucideIcon;
  readonly Page: ComponentType;
}

/** Loaded when somebody opens it. */
const loaded = (load: () => Promise<ComponentType>): ComponentType =>
  lazy(async () => ({ default: await onceAnswered(load) }));

export const pages: readonly PageRow[] = [
  {
    path: 'overview',
    title: 'Overview',
    section: 'Now',
    Icon: LayoutDashboard,
    Page: loaded(async () => (await import('./pages/overview/OverviewPage.js')).OverviewPage),
  },
  {
    path: 'live',
    title: 'Live room',
    section: 'Now',
    Icon: Radio,
    Page: loaded(async () => (await import('./pages/live/LivePage.js')).LivePage),
  },
  {
    path: 'webhooks',
    title: 'Webhooks',
    section: 'Now',
    Icon: Webhook,
    Page: loaded(async () => (await import('./pages/webhooks/WebhooksPage.js')).WebhooksPage),
  },
  {
    path: 'start',
    title: 'First steps',
    section: 'Set up',
    Icon: Footprints,
    Page: loaded(async () => (await import('./pages/start/StartPage.js')).StartPage),
  },
  {
    path: 'connections',
    title: 'Connections',
    section: 'Now',
    Icon: Cable,
    Page: loaded(async () => (await import('./pages/connections/ConnectionsPage.js')).ConnectionsPage),
  },
  {
    path: 'rooms',
    title: 'Apps and rooms',
    section: 'Set up',
    Icon: Boxes,
    Page: loaded(async () => (await import('./pages/rooms/RoomsPage.js')).RoomsPage),
  },
  {
    path: 'actors',
    title: 'Actors',
    section: 'Set up',
    Icon: Users,
    Page: loaded(async () => (await import('./pages/actors/ActorsPage.js')).ActorsPage),
  },
  {
    path: 'scopes',
    title: 'Scopes',
    section: 'Set up',
    Icon: Network,
    Page: loaded(async () => (await import('./pages/scopes/ScopesPage.js')).ScopesPage),
  },
  {
    path: 'keys',
    title: 'Keys',
    section: 'Set up',
    Icon: KeyRound,
    Page: loaded(async () => (await import('./pages/keys/KeysPage.js')).KeysPage),
  },
  {
    path: 'trace',
    title: 'Trace a message',
    section: 'Find out',
    Icon: Route,
    Page: loaded(async () => (await import('./pages/trace/TracePage.js')).TracePage),
  },
  {
    path: 'explain',
    title: 'Explain access',
    section: 'Find out',
    Icon: Scale,
    Page: loaded(async () => (await import('./pages/explain/ExplainPage.js')).ExplainPage),
  },
  {
    path: 'audit',
    title: 'Audit',
    section: 'Find out',
    Icon: ScrollText,
    Page: loaded(async () => (await import('./pages/audit/AuditPage.js')).AuditPage),
  },
];
