import type { ViewReader } from '@roomwire/shared/ports/viewStore';
import type { LimitReports } from '@roomwire/shared/runtime/limitReports';
import type { CircuitReport } from '@roomwire/shared/wire/bus/webhookReports';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';
import { executeAsSystem, type SystemDeps } from '../handling/streamWriter.js';
import { webhookCircuitTarget } from './decider.js';

export interface CircuitDeps extends SystemDeps {
  readonly views: Pick<ViewReader, 'count'>;
  readonly limits: Pick<LimitReports, 'reached'>;
}

/** Writes what consumers report of an endpoint into the event log. */
export const recordCircuit = async (deps: CircuitDeps, report: CircuitReport): Promise<void> => {
  const { circuit } = report;
  const target = webhookCircuitTarget(circuit.circuitId);
  if (report.outcome === 'circuitClosed')
    return executeAsSystem(deps, target, { type: 'CloseWebhookCircuit' }, circuit);
  const { projectId } = circuit;
  if ((await deps.views.count('webhookCircuits', { projectId })) >= limitTable.openCircuits.value)
    return deps.limits.reached('openCircuits', { projectId });
  const opened = { ...circuit, calls: report.calls };
  return executeAsSystem(deps, target, { type: 'OpenWebhookCircuit', circuit: opened }, circuit);
};
