import type { Credentials } from './firstStart.js';

/** What a new user sees once: the credentials, and a session that can be pasted into a terminal as it stands. */
export const firstSession = (baseUrl: string, credentialsFile: string, credentials: Credentials): string => `
Roomwire made your first organization, project and API key.

  organization   ${credentials.organizationId}
  project        ${credentials.projectId}
  API key        ${credentials.apiKey}
  session token  ${credentials.sessionToken}

They are kept in ${credentialsFile}; this is the only time that they are printed.

Your first message. Paste this into a second terminal, in this folder:

API=${baseUrl}/v1 KEY=${credentials.apiKey}
post() { curl -sS "$API/$1" -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' -d "$2"; }
field() { node -pe "JSON.parse(require('fs').readFileSync(0))['$1']"; }
APP=$(post apps '{"name":"demo","topics":["chat"]}')
SLUG=$(echo "$APP" | field slug)
post "apps/$(echo "$APP" | field appId)/rooms" '{"name":"lobby"}'; echo
LISTENER=$(post actors '{"name":"listener","actorType":"user"}' | field accessToken)
SENDER=$(post actors '{"name":"sender","actorType":"user"}' | field accessToken)
export ROOMWIRE_URL=${baseUrl.replace(/^http/, 'ws')}/ws
echo; echo "Now send a message from a third terminal, in this folder:"
echo "  ROOMWIRE_URL=$ROOMWIRE_URL ROOMWIRE_TOKEN=$SENDER npx roomwire publish $SLUG/lobby/chat '\\"hello\\"'"; echo
ROOMWIRE_TOKEN=$LISTENER npx roomwire listen $SLUG/lobby/chat
`;
