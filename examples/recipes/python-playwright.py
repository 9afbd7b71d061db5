# bowline exec -- python3 examples/recipes/python-playwright.py https://example.com
# pip install playwright (no local browser required)
import os
import sys

from playwright.sync_api import sync_playwright

with sync_playwright() as playwright:
    browser = playwright.chromium.connect_over_cdp(os.environ["BOWLINE_CDP_URL"])
    page = browser.contexts[0].pages[0]
    page.goto(sys.argv[1])
    print(f"Title: {page.title()}")
