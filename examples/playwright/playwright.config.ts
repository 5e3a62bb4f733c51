import { defineConfig, devices } from '@playwright/test';
import type { PlatformTestOptions } from 'countersign/playwright';

/** Set this to use another Chromium than the one of `npx playwright install chromium`. */
const executablePath = process.env['CHROME_PATH'];

export default defineConfig<PlatformTestOptions>({
  testDir: 'tests',
  forbidOnly: Boolean(process.env['CI']),
  reporter: process.env['CI'] ? [['list'], ['html', { open: 'never' }]] : 'list',
  use: {
    // With real proofs the sandbox checks the same as production: attestations, assertions, signatures.
    platformOptions: { proofs: 'real', world: 'ready-made' },
    trace: 'retain-on-failure',
    ...(executablePath && { launchOptions: { executablePath } }),
  },
  projects: [{ name: 'chromium', use: devices['Desktop Chrome'] }],
});
