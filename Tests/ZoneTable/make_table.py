#!/usr/bin/env python3
"""Writes a table for a test: what Python's zoneinfo says about the days of 2026 and 2027 on which clocks change.

For each zone: every minute of the days (UTC) with a change of the offset and of the days before and after; zones
without a change get the first days of the quarters. Written are the local minutes of the day, as runs, and how many
of the minutes lie inside each window. The file's bytes stand beside them (its part for 64 bits; the part for old
readers is left empty), so that the test does not depend on the machine's database; and the rule for later years,
where Python, given nothing but that rule, says the same of these two years.

usage: python3 Tests/ZoneTable/make_table.py > Tests/DomainTests/Zones/ZoneTable.swift
"""
import base64
import io
import struct
from datetime import datetime, timedelta, timezone
from zoneinfo import TZPATH, ZoneInfo

ZONES = [
    "Europe/Berlin", "Europe/London", "Europe/Dublin", "America/New_York", "America/St_Johns",
    "America/Havana", "America/Santiago", "America/Nuuk", "America/Sao_Paulo", "Africa/Casablanca",
    "Africa/Cairo", "Asia/Gaza", "Asia/Kolkata", "Asia/Kathmandu", "Asia/Shanghai", "Australia/Lord_Howe",
    "Australia/Adelaide", "Pacific/Chatham", "Pacific/Auckland", "Pacific/Kiritimati", "Pacific/Pago_Pago",
    "Antarctica/Troll",
]

# Local minutes: over midnight, inside a day, starts and ends within hours that are skipped or come twice.
WINDOWS = [(1320, 420), (0, 360), (150, 180), (120, 150), (90, 170), (1430, 10), (30, 105), (1380, 150), (0, 0)]

START, END = datetime(2026, 1, 1, tzinfo=timezone.utc), datetime(2028, 1, 1, tzinfo=timezone.utc)


def changed_days(zone):
    days, moment = set(), START
    while moment < END:
        following = moment + timedelta(days=1)
        hours = [moment + timedelta(hours=hour) for hour in range(25)]
        if len({hour.astimezone(zone).utcoffset() for hour in hours}) > 1:
            days |= {moment - timedelta(days=1), moment, following}
        moment = following
    return days or {datetime(year, month, 1, tzinfo=timezone.utc) for year in (2026, 2027) for month in (1, 4, 7, 10)}


def minutes(zone):
    for day in sorted(changed_days(zone)):
        for minute in range(1440):
            moment = day + timedelta(minutes=minute)
            local = moment.astimezone(zone)
            yield int(moment.timestamp()) // 60, local.hour * 60 + local.minute


def inside(minute, window):
    start, end = window
    return start <= minute < end if start < end else minute >= start or minute < end


def new_part(name):
    """The file with an empty first block, and the rule it ends with."""
    with open(f"{TZPATH[0]}/{name}", "rb") as file:
        data = file.read()
    utc, std, leap, times, types, chars = struct.unpack(">6l", data[20:44])
    second = data[44 + times * 5 + types * 6 + chars + leap * 8 + std + utc:]
    return b"TZif2" + bytes(15 + 24) + second, second.rstrip(b"\n").rsplit(b"\n", 1)[1]


def only_rule(rule):
    block = b"TZif2" + bytes(15) + struct.pack(">6l", 0, 0, 0, 0, 1, 4) + struct.pack(">lBB", 0, 0, 0) + b"XXX\0"
    return ZoneInfo.from_file(io.BytesIO(block + block + b"\n" + rule + b"\n"))


def runs(samples):
    found = []
    for utc, minute in samples:
        if found and utc == found[-1][0] + found[-1][2] and minute == (found[-1][1] + found[-1][2]) % 1440:
            found[-1][2] += 1
        else:
            found.append([utc, minute, 1])
    return found


def main():
    print("// swift-format-ignore-file")
    print("// Made by Tests/ZoneTable/make_table.py with Python's zoneinfo; not written by hand.")
    print("extension ZoneTable {")
    print("    static let windows: [(start: Int, end: Int)] = [")
    for start, end in WINDOWS:
        print(f"        ({start:_}, {end:_}),")
    print("    ]")
    print()
    print("    static let zones: [Expected] = [")
    for name in ZONES:
        zone = ZoneInfo(name)
        samples = list(minutes(zone))
        counts = [sum(inside(minute, window) for _, minute in samples) for window in WINDOWS]
        data, rule = new_part(name)
        is_all = list(minutes(only_rule(rule))) == samples
        quoted = f'"{rule.decode()}"' if is_all else "nil"
        print("        Expected(")
        print(f'            name: "{name}", rule: {quoted},')
        print(f"            inside: [{', '.join(f'{count:_}' for count in counts)}],")
        print("            runs: [")
        for run in runs(samples):
            print(f"                ({run[0]:_}, {run[1]:_}, {run[2]:_}),")
        print("            ],")
        print(f'            file: "{base64.b64encode(data).decode()}"),')
    print("    ]")
    print("}")


main()
