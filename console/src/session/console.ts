import { createContext, useContext } from 'react';
import type { Api } from '../api/client.js';
import type { ProjectAccess } from './projectAccess.js';
import { mayAs, type Role } from './role.js';
import type { SessionShown } from './consoleRoutes.js';

/** What a signed-in page has. */
export interface SignedIn {
  readonly token: string;
  /** With the session: the routes of organizations. */
  readonly api: Api;
  readonly shown: SessionShown;
}

/** What a page of a project has. */
export interface OpenProject {
  readonly organizationId: string;
  readonly projectId: string;
  readonly organizationName: string;
  readonly projectName: string;
  readonly role: Role;
  /** With the session: the routes of organizations. */
  readonly sessionApi: Api;
  /** With the API key of the console: the routes of the project. */
  readonly api: Api;
  readonly access: ProjectAccess;
}

export const SignedInContext = createContext<SignedIn | undefined>(undefined);
export const OpenProjectContext = createContext<OpenProject | undefined>(undefined);

export const useSignedIn = (): SignedIn => {
  const signedIn = useContext(SignedInContext);
  if (signedIn === undefined) throw new Error('Nobody is signed in around this component');
  return signedIn;
};

export const useProject = (): OpenProject => {
  const project = useContext(OpenProjectContext);
  if (project === undefined) throw new Error('There is no project around this component');
  return project;
};

/** Whether the session has at least this role in the organization. */
export const useMay = (least: Role): boolean => mayAs(useProject().role, least);
