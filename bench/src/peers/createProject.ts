import { systemClock } from '@roomwire/shared/adapters/system/systemClock';
import { mintSessionToken } from '@roomwire/shared/credentials/sessionToken';
import { clusterSecret } from './roomwireService.js';

const session = { subject: 'operator', organizationIds: [], isOperator: true };

/** The key of a new project, made through a command-api as an operator does it. */
export const createProject = async (port: number): Promise<{ readonly apiKey: string }> => {
  const token = await mintSessionToken(clusterSecret, session, 3600, systemClock);
  const post = async <T>(path: string): Promise<T> => {
    const response = await fetch(`http://127.0.0.1:${port}/v1${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Load' }),
    });
    const text = await response.text();
    if (response.status !== 201) throw new Error(`POST ${path} was answered ${response.status}: ${text}`);
    return JSON.parse(text) as T;
  };
  const { organizationId } = await post<{ organizationId: string }>('/organizations');
  const projects = `/organizations/${organizationId}/projects`;
  const { projectId } = await post<{ projectId: string }>(projects);
  return post<{ apiKey: string }>(`${projects}/${projectId}/api-keys`);
};
