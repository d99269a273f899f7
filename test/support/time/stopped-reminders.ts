import { Reminders } from '../../../src/features/webhook/reminder/reminders.ts';
import type { TestService } from '../test-service.ts';

/**
 * Declares that the service sends reminders only when a test says so: a minute may pass amid the statements by which a
 * test prepares them, and a run that is under way is the one that `remind` waits for.
 */
export function withStoppedReminders(service: TestService): void {
  beforeAll(() => {
    const { timer } = service.app.get<{ timer: NodeJS.Timeout | undefined }>(Reminders);
    if (timer === undefined) throw new Error('the service sends no reminders');
    clearInterval(timer);
  });
}
