import { expect } from 'chai';
import { actorStream } from '../../src/domain/actor.js';
import { apiKeyStream } from '../../src/domain/apiKey.js';
import { appsStream } from '../../src/domain/app.js';
import {
  auditHeadsRecorded,
  auditHeadsStream,
  isOfTheControlPlane,
  noOrganization,
} from '../../src/domain/auditHeads.js';
import { blueprintStream } from '../../src/domain/blueprint.js';
import { deadLetterStream } from '../../src/domain/deadLetter.js';
import { organizationStream } from '../../src/domain/organization.js';
import { projectStream } from '../../src/domain/project.js';
import { roomsStream } from '../../src/domain/room.js';
import { scopesStream } from '../../src/domain/scope.js';
import { consoleSignInStream } from '../../src/domain/consoleSignIn.js';
import { consoleAccessStream } from '../../src/domain/consoleAccess.js';
import { sessionRevocationStream } from '../../src/domain/sessionRevocation.js';
import { signingKeyStream } from '../../src/domain/signingKey.js';
import { tokenRevocationStream } from '../../src/domain/tokenRevocation.js';
import { webhookCircuitStream } from '../../src/domain/webhookCircuit.js';
import { webhookSecretsStream } from '../../src/domain/webhookSecret.js';

describe('the streams of a log', () => {
  it('have the names under which logs hold them for ever', () => {
    const names = [
      ...[organizationStream, projectStream, apiKeyStream, blueprintStream, appsStream, roomsStream],
      ...[scopesStream, actorStream, signingKeyStream, webhookSecretsStream, deadLetterStream],
      ...[sessionRevocationStream, tokenRevocationStream, webhookCircuitStream],
      ...[consoleAccessStream, consoleSignInStream],
    ].map((streamOf) => streamOf('1'));
    expect(names).to.eql([
      ...['organization-1', 'project-1', 'apiKey-1', 'blueprint-1', 'apps-1', 'rooms-1'],
      ...['scopes-1', 'actor-1', 'signingKey-1', 'webhookSecrets-1', 'deadLetter-1'],
      ...['sessionRevocation-1', 'tokenRevocation-1', 'webhookCircuit-1'],
      ...['consoleAccess-1', 'consoleSignIn-1'],
    ]);
    expect(auditHeadsStream).to.equal('audit-heads');
  });

  it('are of the control plane, all but what the service writes for itself', () => {
    expect(isOfTheControlPlane({ stream: actorStream('1') })).to.equal(true);
    expect(isOfTheControlPlane({ stream: auditHeadsStream })).to.equal(false);
    expect(auditHeadsRecorded).to.eql({ type: 'AuditHeadsRecorded', schemaVersion: 1 });
    expect(noOrganization).to.equal('00000000-0000-0000-0000-000000000000');
  });
});
