import { useState } from 'react';
import { answerOf } from '../../api/failure.js';
import type { Schemas } from '../../api/schemas.js';
import { useReadAgain } from '../../api/useReadAgain.js';
import { Button } from '../../components/Button.js';
import { Dialog } from '../../components/Dialog.js';
import { SelectField, TextField } from '../../components/fields.js';
import { Form } from '../../components/Form.js';
import type { FormValues } from '../../components/formValues.js';
import { toast } from '../../components/Toast.js';
import { useProject } from '../../session/console.js';

interface RedriveDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

type Filter = Omit<Schemas['RedriveFilter'], 'dryRun'>;

/** A filter with what it matches, which a dry run has told. */
interface Tried {
  readonly filter: Filter;
  readonly matched: number;
}

/** Several at once, in two steps: how many there are, and then to try them. */
export const RedriveDialog = ({ isOpen, onClose }: RedriveDialogProps) => {
  const { sessionApi, organizationId: orgId, projectId } = useProject();
  const readAgain = useReadAgain();
  const [tried, setTried] = useState<Tried>();
  const close = (): void => {
    setTried(undefined);
    onClose();
  };
  const redrive = (filter: Filter, dryRun: boolean): Promise<Schemas['Redrive']> =>
    answerOf(
      sessionApi.POST('/organizations/{orgId}/webhook-dlq/redrive', {
        params: { path: { orgId } },
        body: { ...filter, dryRun },
      }),
    );

  return (
    <Dialog title="Redrive several" isOpen={isOpen} onClose={close}>
      {tried === undefined ? (
        <Form
          submit="Count them first"
          onCancel={close}
          onSubmit={async (values) => {
            const filter = filterOf(values, projectId);
            setTried({ filter, matched: (await redrive(filter, true)).matched });
          }}
        >
          <SelectField
            name="status"
            label="State"
            defaultValue=""
            choices={[
              { id: '', title: 'Any that is not given up' },
              { id: 'pending', title: 'no answer', description: 'The endpoint may be well again' },
              { id: 'failed', title: 'refused', description: 'The endpoint did not take them' },
            ]}
          />
          <div className="field-row">
            <TextField name="from" label="Recorded from" type="datetime-local" />
            <TextField name="to" label="Recorded until" type="datetime-local" />
          </div>
          <TextField
            name="limit"
            label="At most"
            description="The oldest first; 1,000 where nothing is given."
            {...{ type: 'number', min: 1, max: 1_000 }}
          />
        </Form>
      ) : (
        <>
          <p role="status">{countText(tried.matched)}</p>
          {tried.matched === 0 ? (
            <div className="form-actions">
              <Button onPress={() => setTried(undefined)}>Choose others</Button>
            </div>
          ) : (
            <Form
              submit={`Redrive ${tried.matched}`}
              onCancel={close}
              onSubmit={async () => {
                const { redriven } = await redrive(tried.filter, false);
                toast(`${redriven} ${redriven === 1 ? 'is' : 'are'} tried again`);
                close();
                await readAgain();
              }}
            >
              <p className="muted">
                Each is called again with the same id, body and headers. Those that succeed leave the list; of
                the others it says what happened this time.
              </p>
            </Form>
          )}
        </>
      )}
    </Dialog>
  );
};

const countText = (matched: number): string => {
  if (matched === 0) return 'None matches: nothing would be redriven.';
  return matched === 1 ? 'One matches. Nothing was done yet.' : `${matched} match. Nothing was done yet.`;
};

const filterOf = (values: FormValues, projectId: string): Filter => {
  const status = values.optional('status');
  const [from, to] = [values.time('from'), values.time('to')];
  const limit = values.number('limit');
  return {
    projectId,
    ...(status === undefined ? {} : { status: status as 'pending' | 'failed' }),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    ...(limit === undefined ? {} : { limit }),
  };
};
